// Python functions as tasks: results, surroundings, failures.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { createProcesses } from '../../src/world/processes.ts';
import { testJob } from './job.ts';
import { load, run } from './python-folder.ts';

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

  test('a package that is not installed, which may pass; a wrong name may not', async () => {
    const missing = await run('def fail():\n    """F."""\n    import not_installed_at_all\n');
    expect(missing.failure?.facts).toEqual({ recoverable: true });
    const wrong = await run('def fail():\n    """F."""\n    from json import nothing\n');
    expect(wrong.failure?.facts).toEqual({});
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
