// Endpoint files, suggestions and pictures in the built program, whose libraries are bundled.

import { expect, test } from 'vitest';
import { shell } from '../helpers/built.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

const folder = () =>
  temporaryFolder({
    'etc/AI/lab.yaml':
      'url: http://127.0.0.1:9/v1\nmodel: m\ntemprature: 1\nkey_cmd: echo KEY-mock-123\n',
    'a.chat': 'endpoint: lab\nimage: p.txt\nuser: q\n',
    'p.txt': PNG,
  });

const cases: readonly {
  name: string;
  command: string;
  code: number;
  stdout: RegExp;
  stderr: RegExp;
}[] = [
  {
    name: 'an endpoint file is read, its unknown keys are told, its key is not',
    command: 'chat endpoint list',
    code: 0,
    stdout: /lab +openai +m +from a command/,
    stderr: /lab\.yaml:3: warning: .*"temperature"\?\n$/,
  },
  {
    name: 'an unknown endpoint has its nearest name',
    command: 'chat endpoint test lba',
    code: 3,
    stdout: /^$/,
    stderr: /^error: no endpoint "lba" \(command line\)\n {2}next: did you mean "lab"\?/,
  },
  {
    name: 'a picture goes into the request by its bytes',
    command: 'chat compile --wire a.chat',
    code: 0,
    stdout: /"url":"data:image\/png;base64,/,
    stderr: /for endpoint lab/,
  },
  {
    name: 'the command for a key is run, and its output shown nowhere',
    command: 'chat endpoint test lab -o retry_max=0',
    code: 4,
    stdout: /^$/,
    stderr: /^(?![\s\S]*KEY-mock)[\s\S]*error: .*127\.0\.0\.1:9/,
  },
];

for (const { name, command, code, stdout, stderr } of cases)
  test(name, async () => {
    const outcome = await shell(command, { cwd: folder() });
    expect(outcome).toEqual({
      code,
      stdout: expect.stringMatching(stdout),
      stderr: expect.stringMatching(stderr),
    });
  });
