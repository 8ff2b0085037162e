// A server of the Model Context Protocol over standard input and output, in as little as it takes; each part can be replaced.

import * as readline from 'node:readline';

export const write = (text) => process.stdout.write(text);
export const send = (message) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
export const text = (...texts) => ({
  content: texts.map((each) => ({ type: 'text', text: each })),
});
export const tool = (name, inputSchema = { type: 'object' }) => ({
  name,
  description: `Does ${name}`,
  inputSchema,
});
export const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Starts to serve. `call` gets name, arguments and the whole request, and returns a result; `list` gets the parameters and returns one, too. */
export function serve({
  call = () => text('ok'),
  list,
  tools = [tool('work')],
  before,
  reply = send,
  capabilities = { tools: { listChanged: true } },
  onMessage = () => {},
}) {
  const lists = list ?? (() => ({ tools }));
  const lines = readline.createInterface({ input: process.stdin });
  lines.on('line', async (line) => {
    const message = JSON.parse(line);
    onMessage(message);
    const { id, method, params } = message;
    if (id === undefined || method === undefined) return;
    const result = (value) => reply({ id, result: value });
    if (method === 'initialize') {
      await before?.();
      result({
        protocolVersion: params.protocolVersion,
        capabilities,
        serverInfo: { name: 'odd', version: '1' },
      });
    } else if (method === 'ping') result({});
    else if (method === 'tools/list') result(await lists(params ?? {}));
    else if (method === 'tools/call') {
      const value = await call(params.name, params.arguments, message);
      if (value !== undefined) result(value);
    } else reply({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  });
  lines.on('close', () => process.exit(0));
}
