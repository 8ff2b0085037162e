// A toy tokenizer: six letters or one other sign make a token. The same text always counts the same.

/** Tokens of the texts. */
export function countTokens(texts: string | readonly string[]): number {
  const all = typeof texts === 'string' ? [texts] : texts;
  return all.reduce((sum, text) => sum + (text.match(TOKEN)?.length ?? 0), 0);
}

const TOKEN = /[\p{L}\p{N}]{1,6}|[^\s\p{L}\p{N}]/gu;
