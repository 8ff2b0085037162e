// Control characters in chats, files and names: shown on a terminal, exact in a pipe.

import { expect, test } from 'vitest';
import { callsReply, fakeHome, textReply } from '../helpers/agents.ts';
import { startFakeServer } from '../helpers/fake-server.ts';
import { runCli } from '../helpers/run.ts';

const HOSTILE = 'a\u001b]0;title\u0007b\u009b2Jc\u202ed';
/** The same in a YAML file. */
const YAML = 'a\\e]0;title\\ab\\u009b2Jc\\u202ed';
const files = {
  'x.chat': `user: ${HOSTILE}\n`,
  'x.py': `# ask: ${HOSTILE}\n`,
  'home/.scout/etc/AI/x.yaml': `backend: openai\nurl: http://127.0.0.1:9/v1\nmodel: m\ndescription: "a\\u009bb"\n`,
  'hostile.chat': `meta: pt=1 ct=1 tt=2 inference_id=i model="a=${HOSTILE}"\n\nassistant: x\n`,
  'home/.scout/etc/AI/e\u001b]0;x\u0007.yaml': 'backend: openai\n',
  'workflows/Good.yaml': `title: "${YAML}"\ndescription: "${YAML}"\ntasks: {t: {description: "${YAML}", inputs: {a: {description: "${YAML}", default: "${YAML}"}}, command: "printf x"}}\n`,
  'knowledge/K/db.tsv': `#S\tT${HOSTILE}\na\t${HOSTILE}\n`,
  'var/jobs/Good/t/n': HOSTILE,
  'var/jobs/Good/t/n.info': JSON.stringify({ status: 'done', inputs: { a: HOSTILE } }),
};
/** What a terminal would obey. */
const OBEYED = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u206f]/;

for (const argv of [
  ['print', 'x.chat'],
  ['print', '--json', 'x.chat'],
  ['print', '--brief', 'x.chat'],
  ['print', '--markdown', 'x.chat'],
  ['compile', 'x.chat'],
  ['compile', '--json', 'x.chat'],
  ['compile', '--prompt', '-e', 'x', 'x.chat'],
  ['compile', '--wire', '-e', 'x', 'x.chat'],
  ['ask', '-d', 'x.chat'],
  ['ask', '-d', '--inline', 'x.py'],
  ['endpoint', 'list'],
  ['endpoint', 'list', '--json'],
  ['completion', '--list', 'endpoint'],
  ['task', 'list', 'Good'],
  ['task', 'list', '--json'],
  ['task', 'run', 'Good', 't', '--help'],
  ['task', 'info', 'var/jobs/Good/t/n', '--json'],
  ['kb', 'show', 'knowledge/K', '--json'],
  ['kb', 'query', 'knowledge/K', 'db', 'a', '--json'],
  ['prov', 'hostile.chat', '--json'],
  ['prov', 'hostile.chat', '--ndjson'],
  ['prov', 'hostile.chat', '--by', 'model'],
  ['prov', 'hostile.chat', '--by', 'model', '--json'],
  ['prov', 'hostile.chat', '--by', 'model', '--csv'],
])
  test(`on a terminal ${argv.join(' ')} sends nothing that is obeyed`, async () => {
    const { code, stdout } = await runCli(argv, { files, terminal: { colour: false } });
    expect(code).toBe(0);
    expect(stdout.length).toBeGreaterThan(0);
    expect(stdout).not.toMatch(OBEYED);
  });

for (const argv of [
  ['print', 'x.chat'],
  ['compile', 'x.chat'],
  ['ask', '-d', 'x.chat'],
])
  test(`in a pipe ${argv.join(' ')} keeps every byte`, async () => {
    expect((await runCli(argv, { files })).stdout).toBe(`user:\n\n${HOSTILE}\n`);
  });

test('JSON says the same on a terminal and in a pipe', async () => {
  for (const terminal of [undefined, { colour: false }]) {
    const { stdout } = await runCli(['compile', '--json', 'x.chat'], {
      files,
      ...(terminal === undefined ? {} : { terminal }),
    });
    expect(JSON.parse(stdout)).toEqual([{ role: 'user', content: HOSTILE }]);
  }
});

for (const terminal of [undefined, { colour: false }])
  test(`the name of a tool that a model makes up forges no line of this program ${terminal === undefined ? 'in a pipe' : 'on a terminal'}`, async () => {
    const server = await startFakeServer((request) =>
      request.body.includes('"tool"')
        ? textReply('fine')
        : callsReply([{ name: 'a\n\nerror: forged\u202e', args: {} }]),
    );
    try {
      const asked = await runCli(['ask', '-v', '-c', 'x.chat', 'Go.'], {
        files: fakeHome(server.url),
        ...(terminal === undefined ? {} : { terminal }),
      });
      expect(asked.code).toBe(0);
      expect(asked.stderr).toContain('error: forged');
      expect(asked.stderr).not.toMatch(/^error: forged|\u202e/m);
    } finally {
      await server.close();
    }
  });
