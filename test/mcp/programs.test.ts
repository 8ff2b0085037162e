// Servers that print noise, are slow, die, hang: each costs a warning or one failed call, never the run.

import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/folder.ts';
import { ask, serverCommand } from './asking.ts';

const odd = (mode: string, ...args: readonly string[]): string =>
  `mcp: stdio ${serverCommand('odd.js', mode, ...args)}`;

const WORK = [[{ name: 'work' }]];

describe('noise on standard output', () => {
  const CASES: readonly { name: string; mode: string; noise?: string; answer?: string }[] = [
    { name: 'a line of a banner', mode: 'banner', noise: '"Ready on 3000"' },
    { name: 'a banner glued to the first message', mode: 'glued', noise: '"Ready on 3000"' },
    { name: 'two messages in one line', mode: 'twice' },
    { name: 'CRLF line ends', mode: 'crlf' },
    { name: 'a byte order mark', mode: 'bom' },
    { name: 'an array', mode: 'array', noise: '"[1,2]"' },
    { name: 'a JSON string', mode: 'string', noise: 'a valid JSON string' },
    { name: 'characters cut between pieces', mode: 'cut', answer: 'Žluť 🐌 hotovo' },
    {
      name: 'noise in the middle of a call',
      mode: 'midcall',
      noise: '"DEBUG: half way"',
      answer: 'survived',
    },
  ];
  test.each(CASES)('$name is passed over', async ({ mode, noise, answer = 'ok' }) => {
    const asked = await ask(odd(mode), WORK);
    expect(asked.code).toBe(0);
    expect(asked.outputs).toMatchObject([{ name: 'work', content: answer, mcp: 'odd/work' }]);
    const told = asked.stderr.split('\n').filter((line) => line.includes('that is no message'));
    expect(told).toHaveLength(noise === undefined ? 0 : 1);
    if (noise !== undefined) {
      expect(told[0]).toContain(noise);
      expect(told[0]).toContain('"odd"');
    }
    expect(asked.stdout).toBe('done\n');
  });

  test('a message of 5 MB in pieces of 100 bytes arrives whole', async () => {
    const asked = await ask(odd('large'), WORK, { args: ['-o', 'max_content_length=3000000'] });
    expect(asked.outputs[0]?.content).toBe('é'.repeat(2_500_000));
  });
});

describe('time', () => {
  test('a server that answers late is waited for as long as mcp_start_timeout says', async () => {
    const patient = await ask(odd('slow', '600'), WORK, { args: ['-o', 'mcp_start_timeout=5'] });
    expect(patient.outputs).toMatchObject([{ content: 'ok' }]);
    const hasty = await ask(odd('slow', '5000'), [], { args: ['-o', 'mcp_start_timeout=0.3'] });
    expect(hasty.code).toBe(0);
    expect(hasty.tools).toEqual([]);
    expect(hasty.stderr).toMatch(
      /x\.chat:1: warning: the MCP server "odd" did not answer within 0\.3 s \(mcp_start_timeout\); raise .*; going on without its tools/,
    );
  });

  test('progress renews the time of a call, which is limited without it', async () => {
    const args = ['-o', 'mcp_timeout=0.4', '-v'];
    const going = await ask(odd('slow-call'), WORK, { args });
    expect(going.outputs).toMatchObject([{ content: 'took long' }]);
    expect(going.stderr).toContain('work: 3 of 8: step 3');
    const watched = await ask(odd('slow-call'), WORK, { terminal: {} });
    expect(watched.stderr).toContain('running work: 3 of 8: step 3');
    const log = path.join(temporaryFolder(), 'log');
    const stuck = await ask(odd('hang-call', log), WORK, { args });
    expect(stuck.outputs[0]?.exception).toBe(
      'the MCP server "odd" failed: it did not answer within 0.4 s (mcp_timeout)',
    );
    expect(stuck.code).toBe(0);
    expect(readFileSync(log, 'utf8')).toMatch(/^call (\d+)\ncancelled \1\n$/);
  });

  test('a call that is stopped by tool_timeout is cancelled, and names its server', async () => {
    const log = path.join(temporaryFolder(), 'log');
    const stuck = await ask(odd('hang-call', log), WORK, { args: ['-o', 'tool_timeout=0.4'] });
    expect(stuck.outputs).toMatchObject([
      { exception: expect.stringContaining('(tool_timeout)'), mcp: 'odd/work' },
    ]);
    expect(readFileSync(log, 'utf8')).toMatch(/^call (\d+)\ncancelled \1\n$/);
  });

  test('log messages are told with -v, and without it nothing is', async () => {
    expect((await ask(odd('logs'), WORK, { args: ['-v'] })).stderr).toContain(
      'work: warning: low on film',
    );
    expect((await ask(odd('logs'), WORK)).stderr).not.toContain('low on film');
  });

  test('--events tells the progress of a call', async () => {
    const asked = await ask(odd('slow-call'), WORK, { args: ['--events', 'events.jsonl'] });
    expect(asked.read('events.jsonl')).toContain('"type":"tool_call_progress"');
  });
});

describe('death', () => {
  test('before the first message it is a warning with status and last words', async () => {
    const asked = await ask(odd('die-first'), []);
    expect(asked.code).toBe(0);
    expect(asked.stdout).toBe('done\n');
    expect(asked.stderr).toContain(
      'ended before it answered: it ended with status 3; it said: Traceback',
    );
    expect(asked.stderr).toContain('no module x');
  });

  test('in a call it ends the call at once, with status and last words; the next call starts it anew, three times', async () => {
    const asked = await ask(
      odd('die-call'),
      Array.from({ length: 6 }, () => WORK[0] ?? []),
    );
    expect(asked.code).toBe(0);
    const words = asked.outputs.map(({ exception }) => String(exception));
    expect(words[0]).toMatch(/"odd" failed: it ended with status 4; it said: no module y$/);
    expect(words.filter((each) => each.includes('status 4'))).toHaveLength(4);
    expect(words[5]).toContain('was started 4 times in this run and did not last');
  });

  test('a server that died is there again for the next call', async () => {
    const asked = await ask(odd('die-once', path.join(temporaryFolder(), 'mark')), [
      ...WORK,
      ...WORK,
    ]);
    expect(asked.outputs[0]?.exception).toContain('status 5');
    expect(asked.outputs[1]?.content).toBe('second life');
  });

  test('200 MB on standard error cost no memory', async () => {
    const before = process.memoryUsage().rss;
    const asked = await ask(odd('flood'), WORK);
    expect(asked.outputs).toMatchObject([{ content: 'flooded' }]);
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  });
});

describe('questions of a server', () => {
  test('a ping is answered', async () => {
    expect((await ask(odd('ping'), WORK)).outputs).toMatchObject([{ content: 'ping: {}' }]);
  });

  test('what this client cannot do is refused, and the call goes on', async () => {
    expect((await ask(odd('asks'), WORK)).outputs).toMatchObject([
      { content: '-32601 -32601 -32601' },
    ]);
  });
});

describe('what cannot work as it is written stops before anything is asked', () => {
  const CASES: readonly { name: string; line: string; says: RegExp; code?: number }[] = [
    {
      name: 'a command that is not there',
      line: 'mcp: stdio no-such-command-here --port 1',
      says: /cannot be started: there is no command "no-such-command-here"[\s\S]*x\.chat:1/,
      code: 3,
    },
    {
      name: 'a file that may not be run',
      line: 'mcp: stdio ./x.chat',
      says: /may not be run/,
      code: 3,
    },
    {
      name: 'a path alone',
      line: 'mcp: ./http-server',
      says: /"\.\/http-server" is no MCP server[\s\S]*mcp: stdio \.\/http-server/,
    },
    {
      name: 'an address without slashes',
      line: 'mcp: http:',
      says: /neither an http\(s\) address/,
    },
    { name: 'another kind of address', line: 'mcp: ws://host/x', says: /mcp: https:\/\/HOST/ },
    { name: 'nothing', line: 'mcp: ""', says: /is no MCP server/ },
    { name: 'no command', line: 'mcp: stdio -- work', says: /names no command/ },
    { name: 'an address with a password', line: 'mcp: http://u:p@h/x', says: /etc\/mcp\.yaml/ },
    {
      name: 'a tool that the server does not have',
      line: `${odd('ok')} -- wrok`,
      says: /the MCP server "odd" has no tool "wrok"[\s\S]*x\.chat:1[\s\S]*did you mean "work"\?/,
    },
    {
      name: 'a server that dies although its tools are named',
      line: `${odd('die-first')} -- work`,
      says: /ended before it answered/,
      code: 3,
    },
  ];
  test.each(CASES)('$name', async ({ line, says, code = 2 }) => {
    const asked = await ask(line, []);
    expect(asked.stderr).toMatch(says);
    expect(asked.code).toBe(code);
    expect(asked.stdout).toBe('');
    expect(asked.bodies).toEqual([]);
    expect(asked.messages('meta')).toEqual([]);
  });
});

test('--quiet and --color change what is shown, and servers run as without them', async () => {
  for (const args of [['-q'], ['--color', 'never']]) {
    const asked = await ask(odd('banner'), WORK, { args });
    expect(asked.outputs).toMatchObject([{ content: 'ok' }]);
    expect(asked.stderr.includes('that is no message')).toBe(args[0] !== '-q');
    expect(asked.code).toBe(0);
  }
});

describe('starting only what is used', () => {
  test('ten servers whose tools are not known start side by side', async () => {
    const folder = temporaryFolder();
    const numbers = Array.from({ length: 10 }, (_, index) => String(index));
    // Each answers when all ten run.
    const lines = numbers.map((number) => odd('together', folder, number));
    const asked = await ask(lines.join('\n\n'), [], { args: ['-o', 'mcp_start_timeout=15'] });
    expect(asked.tools).toHaveLength(10);
    expect(asked.tools[0]).toBe('mcp_odd_work');
  });

  test('a program is found beside the chat; one that is gone fails the call', async () => {
    const folder = temporaryFolder();
    const script = `#!/bin/sh\nexec ${serverCommand('odd.js', 'ok')}\n`;
    const program = path.join(folder, 'tools/serve');
    const run = () =>
      ask('import: tools/server.chat', WORK, {
        folder,
        files: { 'tools/server.chat': 'mcp: stdio ./serve\n' },
        args: ['--no-cache'],
      });
    mkdirSync(path.dirname(program));
    writeFileSync(program, script, { mode: 0o755 });
    expect((await run()).outputs).toMatchObject([{ content: 'ok', mcp: 'serve/work' }]);
    rmSync(program);
    // Beside the chat there is none now, and none in the working directory.
    const gone = await run();
    expect(gone.code).toBe(3);
    expect(gone.stderr).toContain('there is no command "./serve"');
    expect(gone.stderr).toContain('tools/server.chat:1');
    writeFileSync(program, script, { mode: 0o755 });
    chmodSync(program, 0o644);
    expect((await run()).outputs[0]?.exception).toMatch(
      /^the MCP server "serve" cannot be started: it may not be run/,
    );
  });

  test('a list that is known starts nothing until a tool is called', async () => {
    const folder = temporaryFolder();
    const log = path.join(folder, 'started');
    const yaml = `odd:\n  command: node\n  env: {STARTED: ${log}}\n`;
    const files = { 'home/.scout/etc/mcp.yaml': yaml };
    const run = (calls: typeof WORK | []) =>
      ask(odd('ok'), calls, { folder, files, args: ['--no-cache'] });
    const starts = () =>
      existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').length : 0;
    expect((await run([])).tools).toEqual(['work']);
    expect(starts()).toBe(1);
    expect((await run([])).tools).toEqual(['work']);
    expect(starts()).toBe(1);
    expect((await run(WORK)).outputs).toMatchObject([{ content: 'ok' }]);
    expect(starts()).toBe(2);
  });
});
