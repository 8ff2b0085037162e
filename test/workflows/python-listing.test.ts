// What Python files say of their tasks: signatures, docstrings, what is public.

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { toolSpec } from '../../src/workflows/schema.ts';
import type { Task } from '../../src/workflows/types.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { load, loadEach } from './python-folder.ts';

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
