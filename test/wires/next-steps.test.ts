// A refused setting is found again: the next step names the line that said it, whatever wire it went over.

import { describe, expect, it } from 'vitest';
import type { WireName } from '../fake/types.ts';
import { wireHome } from './home.ts';

const CHAT = 'system:\n\nBe brief.\n\noption: temperature 1.5\n';
const ERROR = 'temperature must be at most 1';

const ROWS: readonly (readonly [WireName, string])[] = [
  ['anthropic', 'temperature'],
  ['openai', 'temperature'],
  ['responses', 'temperature'],
  ['ollama', 'options.temperature'],
];

describe('a setting that the provider refuses', () => {
  for (const [wire, field] of ROWS)
    it(`${wire}: is told with its line in the chat, the file or the command line`, async () => {
      const refuse = [{ field, error: ERROR }];
      const home = await wireHome({ refuse }, { files: { 'c.chat': CHAT } });
      const ask = (...args: string[]) => home.here(['ask', '--no-cache', '-e', wire, ...args]);
      const byChat = await ask('-c', 'c.chat', 'Why?');
      expect([byChat.code, byChat.stderr]).toEqual([4, expect.stringContaining(ERROR)]);
      expect(byChat.stderr).toMatch(/next: change "temperature" \(.*c\.chat:5\), or take it out$/m);
      const typed = await ask('-o', 'temperature=1.7', 'Why?');
      expect(typed.stderr).toMatch(/next: change "temperature" \(command line\), or take it out$/m);
    });

  it('is told with its line in the endpoint file', async () => {
    const refuse = [{ field: 'temperature', error: ERROR }];
    const home = await wireHome({ refuse }, { fields: { temperature: 1.5 } });
    const { stderr } = await home.here(['ask', '--no-cache', '-e', 'openai', 'Why?']);
    expect(stderr).toMatch(/next: change "temperature" \(.*openai\.yaml:\d+\), or take it out$/m);
  });
});
