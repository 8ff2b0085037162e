// A budget of tokens for the run holds for thinking, too: no field of a provider is raised above it.

import { expect, onTestFinished, test } from 'vitest';
import { anthropicStream } from '../helpers/anthropic-replies.ts';
import { startFakeServer } from '../helpers/fake-server.ts';
import { runCli } from '../helpers/run.ts';

test('--max-tokens is exceeded for the sake of a budget of thinking', async () => {
  const server = await startFakeServer(({ json }) =>
    json.thinking?.type === 'adaptive'
      ? {
          status: 400,
          body: {
            type: 'error',
            error: { type: 'invalid_request_error', message: 'adaptive is not supported' },
          },
        }
      : anthropicStream('fine'),
  );
  onTestFinished(() => server.close());
  const endpoint = `backend: anthropic\nurl: ${server.url}\nmodel: m\nthinking: high\n`;
  const files = { 'home/.scout/etc/AI/it.yaml': endpoint };
  const run = await runCli(['ask', '--no-cache', '-e', 'it', '--max-tokens', '3000', 'q'], {
    files,
  });
  expect(run.stdout).toBe('fine\n');
  const { max_tokens: most, thinking } = server.requests.at(-1)?.json ?? {};
  expect(most).toBeLessThanOrEqual(3000);
  expect(thinking.budget_tokens).toBeLessThan(most);
});
