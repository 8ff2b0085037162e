// A server's list of models, in the forms that servers give theirs.

import { type Fields, fields, list, text } from '../json.ts';
import type { ModelInfo } from './types.ts';

/** The entries of one answer: a list, or an object that holds it under `data` or `models`. A mere name counts as an entry. */
export function modelEntries(answer: unknown): readonly Fields[] {
  const { data, models } = fields(answer);
  const entries = [answer, data, models].map(list).find((each) => each.length > 0) ?? [];
  return entries.map((entry) => (typeof entry === 'string' ? { id: entry } : fields(entry)));
}

export const modelName = ({ id, name, model }: Fields): string | undefined =>
  text(id) ?? text(name) ?? text(model);

/** The model of an entry, none for one without a name. */
export function modelOf(entry: Fields): ModelInfo[] {
  const id = modelName(entry);
  if (id === undefined) return [];
  const { max_input_tokens, context_length, context_window, max_model_len, meta } = entry;
  const sizes = [max_input_tokens, context_length, context_window, max_model_len];
  const window = [...sizes, fields(meta).n_ctx].find(isSize);
  return [window === undefined ? { id } : { id, contextWindow: window }];
}

/** A number of tokens that something can hold. */
export const isSize = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
