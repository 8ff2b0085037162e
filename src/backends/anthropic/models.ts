// The model list of a Messages host, page by page, or in the form that other servers give theirs.

import type { Endpoint } from '../../config/types.ts';
import { type Fields, fields, text } from '../../json.ts';
import { addAll } from '../../lists.ts';
import { fetchJson } from '../http/transport.ts';
import { isSize, modelEntries, modelName, modelOf } from '../model-list.ts';
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
    addAll(entries, modelEntries(answer));
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

function limitOf(entry: Fields): [string, number][] {
  const id = modelName(entry);
  return id !== undefined && isSize(entry.max_tokens) ? [[id, entry.max_tokens]] : [];
}
