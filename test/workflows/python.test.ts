import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { loadPython, pythonFiles } from '../../src/workflows/python.ts';
import { toolSpec } from '../../src/workflows/schema.ts';
import type { Task } from '../../src/workflows/types.ts';
import type { WorkflowWorld } from '../../src/workflows/world.ts';
import { createProcesses } from '../../src/world/processes.ts';
import { type Tree, temporaryFolder, writeTree } from '../helpers/folder.ts';
import { createWorld, type RunOptions } from '../helpers/run.ts';
import { testJob } from './job.ts';

/** The world of a folder, and how often it started a program. */
function counting(folder: string, options: RunOptions = {}) {
  const world = createWorld(folder, options);
  const started: string[] = [];
  const counted: WorkflowWorld = {
    ...world,
    packageFolder: join(import.meta.dirname, '../..'),
    processes: {
      run: (command, args, rest) => {
        started.push(command);
        return world.processes.run(command, args, rest);
      },
      open: world.processes.open,
    },
  };
  return { world: counted, started };
}

async function load(files: Tree, folder = temporaryFolder(), options: RunOptions = {}) {
  writeTree(folder, files);
  const { world, started } = counting(folder, options);
  const python = await pythonFiles(join(folder, 'python'), world.files);
  return { folder, started, ...(await loadPython(python, 'Lab', world)) };
}

const plain = { description: '', required: true };

const SIGNATURES: readonly {
  signature: string;
  inputs: readonly object[];
  schema?: object;
  head?: string;
}[] = [
  {
    signature: 'a: int',
    inputs: [{ ...plain, name: 'a', type: 'integer' }],
    schema: { a: { type: 'integer' } },
  },
  {
    signature: 'a: float',
    inputs: [{ ...plain, name: 'a', type: 'float' }],
    schema: { a: { type: 'number' } },
  },
  {
    signature: 'a: bool',
    inputs: [{ ...plain, name: 'a', type: 'boolean' }],
    schema: { a: { type: 'boolean' } },
  },
  {
    signature: 'a: str',
    inputs: [{ ...plain, name: 'a', type: 'string' }],
    schema: { a: { type: 'string' } },
  },
  {
    signature: 'a: Path',
    head: 'from pathlib import Path',
    inputs: [{ ...plain, name: 'a', type: 'path' }],
    schema: { a: { type: 'string', description: 'A path' } },
  },
  { signature: 'a: pathlib.Path', inputs: [{ ...plain, name: 'a', type: 'path' }] },
  { signature: 'a: os.PathLike[str]', inputs: [{ ...plain, name: 'a', type: 'path' }] },
  {
    signature: 'a: list[str]',
    inputs: [{ ...plain, name: 'a', type: 'string_array' }],
    schema: { a: { type: 'array', items: { type: 'string' } } },
  },
  {
    signature: 'a: list[int]',
    inputs: [{ ...plain, name: 'a', type: 'integer_array' }],
    schema: { a: { type: 'array', items: { type: 'integer' } } },
  },
  { signature: 'a: List[float]', inputs: [{ ...plain, name: 'a', type: 'float_array' }] },
  { signature: 'a: typing.List[bool]', inputs: [{ ...plain, name: 'a', type: 'boolean_array' }] },
  { signature: 'a: Sequence[Path]', inputs: [{ ...plain, name: 'a', type: 'path_array' }] },
  { signature: 'a: tuple[int, ...]', inputs: [{ ...plain, name: 'a', type: 'integer_array' }] },
  { signature: 'a: set[str]', inputs: [{ ...plain, name: 'a', type: 'string_array' }] },
  { signature: 'a: list', inputs: [{ ...plain, name: 'a', type: 'string_array' }] },
  {
    signature: "a: Literal['x', 'y']",
    inputs: [{ ...plain, name: 'a', type: 'select', values: ['x', 'y'] }],
    schema: { a: { type: 'string', enum: ['x', 'y'] } },
  },
  {
    signature: 'a: typing.Literal[1, 2]',
    inputs: [{ ...plain, name: 'a', type: 'select', values: ['1', '2'] }],
  },
  {
    signature: "a: Literal['x', None]",
    inputs: [{ ...plain, name: 'a', type: 'select', values: ['x'], required: false }],
  },
  {
    signature: "a: list[Literal['x', 'y']] = ['x']",
    inputs: [
      {
        ...plain,
        name: 'a',
        type: 'select_array',
        values: ['x', 'y'],
        required: false,
        default: ['x'],
      },
    ],
  },
  {
    signature: 'a: Optional[int]',
    inputs: [{ ...plain, name: 'a', type: 'integer', required: false }],
    schema: { a: { type: 'integer' } },
  },
  {
    signature: 'a: typing.Optional[str] = None',
    inputs: [{ ...plain, name: 'a', type: 'string', required: false }],
  },
  {
    signature: 'a: int | None = 3',
    inputs: [{ ...plain, name: 'a', type: 'integer', required: false, default: 3 }],
  },
  {
    signature: 'a: None | list[str] = None',
    inputs: [{ ...plain, name: 'a', type: 'string_array', required: false }],
  },
  {
    signature: 'a: Union[str, None]',
    inputs: [{ ...plain, name: 'a', type: 'string', required: false }],
  },
  { signature: 'a: int | float', inputs: [{ ...plain, name: 'a', type: 'float' }] },
  {
    signature: 'a: str | Path | None',
    inputs: [{ ...plain, name: 'a', type: 'path', required: false }],
  },
  {
    signature: 'a: "list[int] | None" = None',
    inputs: [{ ...plain, name: 'a', type: 'integer_array', required: false }],
  },
  {
    signature: "a: Annotated[int, 'How many']",
    inputs: [{ ...plain, name: 'a', type: 'integer', description: 'How many' }],
  },
  {
    signature: 'a, b=2, c=1.5, d=True, e="x", f=None',
    inputs: [
      { ...plain, name: 'a', type: 'string' },
      { ...plain, name: 'b', type: 'integer', required: false, default: 2 },
      { ...plain, name: 'c', type: 'float', required: false, default: 1.5 },
      { ...plain, name: 'd', type: 'boolean', required: false, default: true },
      { ...plain, name: 'e', type: 'string', required: false, default: 'x' },
      { ...plain, name: 'f', type: 'string', required: false },
    ],
  },
  {
    signature: 'a=[1, 2], b=("x",), c=-1, d=()',
    inputs: [
      { ...plain, name: 'a', type: 'integer_array', required: false, default: [1, 2] },
      { ...plain, name: 'b', type: 'string_array', required: false, default: ['x'] },
      { ...plain, name: 'c', type: 'integer', required: false, default: -1 },
      { ...plain, name: 'd', type: 'string_array', required: false, default: [] },
    ],
  },
  {
    signature: "a: Path = Path('x.txt'), b: float = 1",
    inputs: [
      { ...plain, name: 'a', type: 'path', required: false, default: 'x.txt' },
      { ...plain, name: 'b', type: 'float', required: false, default: 1 },
    ],
  },
  {
    signature: 'a: int, /, b: str, *rest, c: bool = False, **more',
    inputs: [
      { ...plain, name: 'a', type: 'integer' },
      { ...plain, name: 'b', type: 'string' },
      { ...plain, name: 'c', type: 'boolean', required: false, default: false },
    ],
  },
  {
    signature: 'a: int = LIMIT, b=LIMIT, c: dict = {}, _d: int = 1',
    inputs: [{ ...plain, name: 'a', type: 'integer', required: false }],
  },
  { signature: '', inputs: [], schema: {} },
];

/** All in one folder, so that Python is started once: `a00.py`, `a01.py` … */
async function loadEach(sources: readonly string[]): Promise<readonly (Task | undefined)[]> {
  const name = (index: number) => `a${String(index).padStart(2, '0')}.py`;
  const files = sources.map((source, index) => [`python/${name(index)}`, source] as const);
  const { tasks, problems } = await load(Object.fromEntries(files), temporaryFolder());
  expect(problems).toEqual([]);
  return sources.map((_, index) => tasks.find(({ at }) => at.file.endsWith(name(index))));
}

describe('the inputs of a signature', () => {
  let tasks: readonly (Task | undefined)[];
  beforeAll(async () => {
    tasks = await loadEach(
      SIGNATURES.map(
        ({ signature, head = '' }) => `${head}\ndef measure(${signature}):\n    """Measures."""\n`,
      ),
    );
  });

  for (const [index, { signature, inputs, schema }] of SIGNATURES.entries())
    test(`(${signature})`, () => {
      const task = tasks[index];
      expect(task?.inputs).toEqual(inputs);
      if (schema !== undefined && task !== undefined)
        expect(toolSpec(task).parameters.properties).toEqual(schema);
    });
});

const DOCSTRINGS: readonly {
  name: string;
  text: string;
  description: string;
  texts: Readonly<Record<string, string>>;
}[] = [
  { name: 'one line', text: ' Measures. ', description: 'Measures.', texts: { a: '', b: '' } },
  {
    name: 'a first paragraph of several lines',
    text: 'Measures it\n    and tells.\n\n    More of it.',
    description: 'Measures it and tells.',
    texts: { a: '', b: '' },
  },
  {
    name: 'as Google writes it',
    text: 'Measures.\n\n    Args:\n        a (int): The first,\n            going on: here.\n        b: The second.\n\n    Returns:\n        b: nothing of it',
    description: 'Measures.',
    texts: { a: 'The first, going on: here.', b: 'The second.' },
  },
  {
    name: 'as NumPy writes it',
    text: 'Measures.\n\n    Parameters\n    ----------\n    a : int\n        The first\n        goes on.\n    b : str, optional\n        The second.\n\n    Returns\n    -------\n    a : int\n        Not this.',
    description: 'Measures.',
    texts: { a: 'The first goes on.', b: 'The second.' },
  },
  {
    name: 'as reST writes it',
    text: 'Measures.\n\n    :param a: The first\n        goes on.\n    :param str b: The second.\n    :returns: b',
    description: 'Measures.',
    texts: { a: 'The first goes on.', b: 'The second.' },
  },
  {
    name: 'fields right below the description',
    text: 'Measures.\n    :param a: The first.\n    Args:\n        b: The second.',
    description: 'Measures.',
    texts: { a: 'The first.', b: 'The second.' },
  },
];

describe('a docstring', () => {
  let tasks: readonly (Task | undefined)[];
  beforeAll(async () => {
    tasks = await loadEach(
      DOCSTRINGS.map(({ text }) => `def measure(a: int, b: str = "x"):\n    """${text}\n    """\n`),
    );
  });

  for (const [index, { name, description, texts }] of DOCSTRINGS.entries())
    test(name, () => {
      const { inputs = [], description: told } = tasks[index] ?? {};
      expect(told).toBe(description);
      expect(Object.fromEntries(inputs.map((input) => [input.name, input.description]))).toEqual(
        texts,
      );
    });
});

describe('the tasks of a folder', () => {
  test('are the public functions at the top of its files that have a docstring', async () => {
    const { tasks, title } = await load({
      'python/a.py': `"""Measures things.\n\nMore."""
import numbers_that_are_not_installed
raise SystemExit('the file must not be run')
def one() -> str:
    """One."""
async def two() -> int:
    "Two."
def silent(): pass
def blank():
    """ """
def _private():
    """Private."""
class Box:
    """A class."""
    def method(self):
        """A method."""
if True:
    def inner():
        """Inner."""
@decorated
def three(a: int = 1) -> dict[str, int]:
    """Three."""
`,
      'python/_own.py': 'def hidden():\n    """Hidden."""\n',
      'python/notes.txt': '',
    });
    expect(tasks.map(({ name, result, workflow }) => [workflow, name, result])).toEqual([
      ['Lab', 'one', 'string'],
      ['Lab', 'two', 'integer'],
      ['Lab', 'three', 'json'],
    ]);
    expect(title).toBe('Measures things.');
  });

  test('a slip of syntax or a type that is no input hides nothing else', async () => {
    const { tasks, problems, folder } = await load({
      'python/a.py':
        'def good():\n    """Good."""\n\ndef odd(a: dict, b: "no type"):\n    """Odd."""\n',
      'python/b.py': 'def broken(:\n    pass\n',
      'python/c.py': 'def fine():\n    """Fine."""\n',
    });
    expect(tasks.map(({ name }) => name)).toEqual(['good', 'fine']);
    expect(problems.map(({ message, at, exitCode }) => [message, at, exitCode])).toEqual([
      [
        'parameter "a" of "odd" is dict, which cannot be an input',
        { file: `${folder}/python/a.py`, line: 4 },
        3,
      ],
      ['invalid syntax', { file: `${folder}/python/b.py`, line: 1 }, 3],
    ]);
  });

  test('python is started once for what it has not seen, and not at all for what it has', async () => {
    const files = {
      'python/a.py': 'def a():\n    """A."""\n',
      'python/b.py': 'def b():\n    """B."""\n',
    };
    const first = await load(files);
    expect(first.started).toEqual(['python3']);
    const again = await load({}, first.folder);
    expect(again.started).toEqual([]);
    expect(again.tasks.map(({ name }) => name)).toEqual(['a', 'b']);
    const changed = await load({ 'python/b.py': 'def c():\n    """C."""\n' }, first.folder);
    expect(changed.started).toEqual(['python3']);
    expect(changed.tasks.map(({ name }) => name)).toEqual(['a', 'c']);
    const cache = join(first.folder, 'home/.cache/scout/workflows');
    for (const name of readdirSync(cache)) writeFileSync(join(cache, name), '{');
    expect((await load({}, first.folder)).tasks.map(({ name }) => name)).toEqual(['a', 'c']);
    expect(readdirSync(join(first.folder, 'python')).sort()).toEqual(['a.py', 'b.py']);
  });

  test('without python3 the failure says what is missing', async () => {
    const world = { env: { PATH: '/nowhere' } };
    const failed = load({ 'python/a.py': 'def a():\n    """A."""\n' }, temporaryFolder(), world);
    await expect(failed).rejects.toMatchObject({
      code: 'no-python',
      exitCode: 3,
      message: 'python3 is not found, and Python tasks need it',
      next: expect.stringContaining('install Python 3.8'),
    });
  });
});

async function run(
  source: string,
  inputs: Readonly<Record<string, unknown>> = {},
  files: Tree = {},
) {
  const loaded = await load({ 'python/lab.py': source, ...files });
  const { folder, tasks } = loaded;
  const { job, logged } = testJob(folder);
  const settled = await Promise.resolve(tasks[0]?.run(inputs, job)).then(
    (value) => ({ text: Buffer.from(value as Uint8Array).toString(), bytes: value }),
    (failure: unknown) => ({ failure: failure as Failure, text: undefined, bytes: undefined }),
  );
  return { folder, log: logged.join('\n'), failure: undefined, ...settled };
}

const VALUES: readonly {
  name: string;
  returns: string;
  hint?: string;
  head?: string;
  text: string;
}[] = [
  { name: 'text', returns: "'ž\\n'", hint: 'str', text: 'ž\n' },
  { name: 'text of no hint', returns: "'ž'", text: '"ž"' },
  {
    name: 'a whole number, however long',
    returns: '12345678901234567890',
    hint: 'int',
    text: '12345678901234567890',
  },
  { name: 'a number', returns: '0.1 + 0.2', hint: 'float', text: '0.30000000000000004' },
  { name: 'truth', returns: 'True', hint: 'bool', text: 'true' },
  { name: 'a list', returns: '[1, "a", None]', hint: 'list', text: '[1, "a", null]' },
  {
    name: 'a mapping',
    returns: '{"a": {"b": (1, 2)}}',
    hint: 'dict',
    text: '{"a": {"b": [1, 2]}}',
  },
  { name: 'nothing', returns: 'None', text: 'null' },
  {
    name: 'bytes',
    returns: "b'\\x00\\xff'",
    hint: 'bytes',
    text: Buffer.from([0, 255]).toString(),
  },
  {
    name: 'paths and sets',
    head: 'from pathlib import Path',
    returns: "[Path('a/b'), {3, 1, 2}]",
    text: '["a/b", [1, 2, 3]]',
  },
  {
    name: 'a record',
    head: 'from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int',
    returns: 'P(1)',
    text: '{"x": 1}',
  },
  { name: 'a generator', returns: '(n * n for n in range(3))', text: '[0, 1, 4]' },
  { name: 'half a character', returns: "'\\ud800'", text: '"\\ud800"' },
];

describe('a result', () => {
  for (const { name, returns, hint, head, text } of VALUES)
    test(`${name}: ${returns}`, async () => {
      const arrow = hint === undefined ? '' : ` -> ${hint}`;
      const result = await run(
        `${head ?? ''}\ndef give()${arrow}:\n    """Gives."""\n    return ${returns}\n`,
      );
      expect(result.failure).toBeUndefined();
      expect(result.text).toBe(text);
    });
});

describe('running', () => {
  test('values come as their type hints say', async () => {
    const source = `from typing import *
from pathlib import Path
def tell(a: int, b: float, c: bool, d: str, e: List[int], f: Literal[1, 2], g: Optional[str], h: Path, /, i: set[str], j=4, *, k: Literal['x'] = 'x') -> str:
    """Tells."""
    return repr((a, b, c, d, e, f, g, h, sorted(i), j, k))
`;
    const inputs = {
      a: 1,
      b: 2,
      c: true,
      d: "it's",
      e: [1, 2],
      f: '2',
      h: 'x/y',
      i: ['b', 'a', 'b'],
    };
    const { text } = await run(source, inputs);
    expect(text).toBe(
      `(1, 2.0, True, "it's", [1, 2], 2, None, PosixPath('x/y'), ['a', 'b'], 4, 'x')`,
    );
  });

  test('what is printed goes to the log, also by programs that it starts, and never into the result', async () => {
    const source = `import os, subprocess, sys
print('while loading')
def noise() -> str:
    """Noise."""
    print('printed')
    print('to standard error', file=sys.stderr)
    os.write(1, b'written\\n')
    subprocess.run(['echo', 'echoed'])
    assert sys.stdin.read() == ''
    return 'result'
`;
    const { text, log } = await run(source);
    expect(text).toBe('result');
    expect(log.split('\n').sort()).toEqual([
      'echoed',
      'printed',
      'to standard error',
      'while loading',
      'written',
    ]);
  });

  test('it finds modules beside it, its artifacts, and the folder of its workflow', async () => {
    const source = `import os, json, beside
def here() -> dict:
    """Here."""
    with open(os.path.join(os.environ['FILES'], 'a.txt'), 'w') as file:
        file.write('artifact')
    return {'beside': beside.VALUE, 'folder': os.environ['WORKFLOW_FOLDER'], 'cwd': os.getcwd(), 'main': __name__}
`;
    const { text, folder } = await run(source, {}, { 'python/beside.py': 'VALUE = 7' });
    expect(JSON.parse(text ?? '')).toEqual({ beside: 7, folder, cwd: folder, main: 'lab' });
    expect(readFileSync(join(folder, 'jobs/Default.files/a.txt'), 'utf8')).toBe('artifact');
    expect(existsSync(join(folder, 'python/__pycache__'))).toBe(false);
  });

  test('a file that is called like a module of Python takes nobody’s place', async () => {
    const { tasks, folder } = await load({
      'python/json.py': 'import json as real\ndef a() -> str:\n    """A."""\n    return "ran"\n',
      'python/inspect.py': 'raise SystemExit("taken")\n',
    });
    const value = await tasks[0]?.run({}, testJob(folder).job);
    expect(Buffer.from(value as Uint8Array).toString()).toBe('ran');
  });

  test('coroutines are waited for', async () => {
    const { text } = await run(
      'import asyncio\nasync def a() -> int:\n    """A."""\n    await asyncio.sleep(0)\n    return 3\n',
    );
    expect(text).toBe('3');
  });
});

const FAILURES: readonly {
  name: string;
  source: string;
  message: RegExp;
  line: number;
  file?: string;
}[] = [
  {
    name: 'an exception',
    source:
      'def fail():\n    """Fails."""\n    inner()\ndef inner():\n    raise ValueError("no good\\nat all")\n',
    message: /^ValueError: no good \(.*lab\.py:5\)$/,
    line: 5,
  },
  {
    name: 'an exception inside the library',
    source: 'import json\ndef fail():\n    """Fails."""\n    json.loads("{")\n',
    message: /^json\.decoder\.JSONDecodeError: Expecting property name/,
    line: 4,
  },
  {
    name: 'an exception in a module beside it',
    source: 'import beside\ndef fail():\n    """Fails."""\n    beside.go()\n',
    message: /^KeyError: 'x'/,
    line: 2,
    file: 'beside.py',
  },
  {
    name: 'an import that fails',
    source: 'import not_installed_at_all\ndef fail():\n    """Fails."""\n',
    message: /^ModuleNotFoundError: No module named 'not_installed_at_all'/,
    line: 1,
  },
  {
    name: 'a way out that is no result',
    source: 'import sys\ndef fail():\n    """Fails."""\n    sys.exit(0)\n',
    message: /^SystemExit: 0/,
    line: 4,
  },
  {
    name: 'a result that cannot be stored',
    source: 'def fail():\n    """Fails."""\n    return [object()]\n',
    message: /^a value of type object cannot be stored; return text/,
    line: 1,
  },
  {
    name: 'a number that JSON does not have',
    source: 'def fail():\n    """Fails."""\n    return float("nan")\n',
    message: /^the result cannot be stored: Out of range float values/,
    line: 1,
  },
  {
    name: 'a result that is not what its hint says',
    source: 'def fail() -> str:\n    """Fails."""\n    return 5\n',
    message: /^the result is int, not str as its type hint says/,
    line: 1,
  },
];

describe('a failure says what, in which file and line:', () => {
  for (const { name, source, message, line, file = 'lab.py' } of FAILURES)
    test(name, async () => {
      const { failure, folder, log } = await run(
        source,
        {},
        { 'python/beside.py': 'def go():\n    {}["x"]\n' },
      );
      expect(failure).toBeInstanceOf(Failure);
      expect(failure?.message).toMatch(message);
      expect(failure?.at).toEqual({ file: join(folder, 'python', file), line });
      expect(failure?.exitCode).toBe(1);
      expect(log).toContain(failure?.message.replace(/ \(\S+\)$/, ''));
      expect(log).not.toContain('tasks.py');
    });

  test('a process that is killed, which may pass', async () => {
    const { failure } = await run(
      'import os, sys\ndef fail():\n    """F."""\n    print("last words", file=sys.stderr)\n    os.kill(os.getpid(), 9)\n',
    );
    expect(failure).toMatchObject({
      message: 'python3 was ended by SIGKILL before the task was done: last words',
      facts: { kind: 'killed' },
    });
  });

  test('a process that ends itself behind our back', async () => {
    const { failure } = await run('import os\ndef fail():\n    """F."""\n    os._exit(3)\n');
    expect(failure?.message).toBe(
      'python3 ended with status 3 before the task was done: it said nothing',
    );
  });

  test('a stop ends it and what it started', async () => {
    const { tasks, folder } = await load({
      'python/lab.py': `import os, subprocess, time\ndef wait():\n    """Waits."""\n    child = subprocess.Popen(['sleep', '300'], start_new_session=True)\n    open('new', 'w').write(str(child.pid))\n    os.rename('new', 'pid')\n    time.sleep(300)\n`,
    });
    const stop = new AbortController();
    const { job } = testJob(folder, {}, stop.signal);
    const settled = Promise.resolve(tasks[0]?.run({}, job)).catch((error: unknown) => error);
    while (!existsSync(join(folder, 'pid')))
      await new Promise((resolve) => setTimeout(resolve, 20));
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    const reason = new Error('stop');
    stop.abort(reason);
    expect(await settled).toBe(reason);
    const left = await createProcesses(process.env).run('ps', ['-o', 'stat=', '-p', String(pid)]);
    expect(left.stdout.trim().replace(/^Z.*/, '')).toBe('');
  });
});
