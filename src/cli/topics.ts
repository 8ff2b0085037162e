// The pages of the manual that tell about a thing and not about a command: what `chat help` shows besides commands.

/** Each topic with what its page tells; the page is man/chat-TOPIC.N.md. */
export const TOPICS: readonly (readonly [name: string, tells: string])[] = [
  ['format', 'how a chat file is written'],
  ['endpoints', 'how a model is set up'],
  ['workflows', 'how tasks are written'],
  ['agents', 'how agents are made, and how they ask each other'],
  ['knowledge', 'how tables become knowledge bases'],
  ['mcp', 'how servers of tools are used'],
  ['errors', 'what the codes of errors mean'],
];
