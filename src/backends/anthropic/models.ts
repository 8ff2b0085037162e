// The model list of a Messages host, page by page, or in the form that other servers give theirs.

import type { Endpoint } from '../../config/types.ts';
import { fetchJson } from '../http/transport.ts';
import { type Fields, fields, list, text } from '../json.ts';
import type { BackendContext, ModelInfo } from '../types.ts';
import { dialectOf, headersFor, placeOf } from './place.ts';

const PAGE = 1000;
const MOST_PAGES = 20;

export interface Models {
  readonly models: readonly ModelInfo[];
  /** The longest answer by model, where the list names one. */
  readonly limits: Readonly<Record<string, number>>;
}

/** At most 20 pages of 1000. Entries without a name are left out. */
export async function listModels(endpoint: Endpoint, context: BackendContext): Promise<Models> {
  const entries: Fields[] = [];
  const headers = {
    accept: 'application/json',
    ...headersFor(endpoint, dialectOf(endpoint).dialect),
  };
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const url = placeOf(endpoint, '/models');
    url.searchParams.set('limit', String(PAGE));
    if (after !== undefined) url.searchParams.set('after_id', after);
    const answer = await fetchJson({ endpoint, url, headers }, context);
    entries.push(...entriesOf(answer));
    const { has_more: more, last_id: next } = fields(answer);
    const isNew = text(next) !== undefined && next !== after;
    if (more !== true || !isNew) break;
    after = text(next);
  }
  // A host that knows no pages gives the first one each time.
  const models = new Map(entries.flatMap(modelOf).map((model) => [model.id, model]));
  return {
    models: [...models.values()],
    limits: Object.fromEntries(entries.flatMap(limitOf)),
  };
}

function entriesOf(answer: unknown): readonly Fields[] {
  const { data, models } = fields(answer);
  const entries = [answer, data, models].map(list).find((each) => each.length > 0) ?? [];
  return entries.map((entry) => (typeof entry === 'string' ? { id: entry } : fields(entry)));
}

const nameOf = ({ id, name }: Fields): string | undefined => text(id) ?? text(name);

function modelOf(entry: Fields): ModelInfo[] {
  const id = nameOf(entry);
  if (id === undefined) return [];
  const { max_input_tokens, context_length, context_window, max_model_len, meta } = entry;
  const sizes = [max_input_tokens, context_length, context_window, max_model_len];
  const window = [...sizes, fields(meta).n_ctx].find(isSize);
  return [window === undefined ? { id } : { id, contextWindow: window }];
}

function limitOf(entry: Fields): [string, number][] {
  const id = nameOf(entry);
  return id !== undefined && isSize(entry.max_tokens) ? [[id, entry.max_tokens]] : [];
}

const isSize = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
