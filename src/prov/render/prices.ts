// Prices for one million tokens, from endpoint files and from `etc/prices.yaml`, each with its source. Asks nobody, and knows none by itself.

import * as path from 'node:path';
import { type DefinitionWorld, definition, endpointNames } from '../../config/definitions.ts';
import { mappingOf, number, text } from '../../config/kinds.ts';
import { isThere, searchPath } from '../../config/search.ts';
import { configFailure, Failure } from '../../errors.ts';
import { isObject } from '../../json.ts';
import type { Origin, Price, Warn } from '../../types.ts';

export interface PriceEntry {
  /** The model that it is for; undefined: every model of the endpoint. */
  readonly model: string | undefined;
  readonly price: Price;
  /** The day it was true, as the list says. */
  readonly date: string | undefined;
  /** Where the price comes from: what the list says, or the file. */
  readonly source: string;
}

export interface Prices {
  /** The price of a model as served, at an endpoint where that is known. */
  of(model: string | null, endpoint: string | null): PriceEntry | undefined;
}

/** Reads every price there is. A price list that is wrong is a configuration Failure (exit 3); an endpoint file that is, is told and passed over. */
export async function readPrices(world: DefinitionWorld, warn: Warn): Promise<Prices> {
  const endpoints = await endpointPrices(world, warn);
  const lists: PriceEntry[] = [];
  for (const folder of await searchPath('etc', world)) {
    const file = path.join(folder, 'prices.yaml');
    if (await isThere(file, world.files)) lists.push(...(await priceList(file, world)));
  }
  const of: Prices['of'] = (model, endpoint) => {
    if (model === null) return undefined;
    const own = endpoint === null ? undefined : endpoints.get(endpoint);
    if (own !== undefined && (own.model === undefined || isModel(model, own.model))) return own;
    // The exact name wins over that of a series, whichever list comes first.
    return (
      lists.find((entry) => entry.model === model) ??
      lists.find((entry) => isModel(model, entry.model ?? '')) ??
      (endpoint === null ? onlyOne(model, [...endpoints.values()]) : undefined)
    );
  };
  return { of };
}

/** The price of a model when the endpoint is not known and all that serve it agree. */
function onlyOne(model: string, entries: readonly PriceEntry[]): PriceEntry | undefined {
  const fitting = entries.filter(
    (entry) => entry.model !== undefined && isModel(model, entry.model),
  );
  const [first] = fitting;
  const differ = fitting.some(
    ({ price }) => JSON.stringify(price) !== JSON.stringify(first?.price),
  );
  return differ ? undefined : first;
}

/** Dates and numbers of a snapshot at the end of what a service says that it served. */
const SNAPSHOT = /^[-@](?:\d{4}-?\d{2}-?\d{2}|\d{4})$/;

const isModel = (served: string, name: string): boolean =>
  served === name || (served.startsWith(name) && SNAPSHOT.test(served.slice(name.length)));

async function endpointPrices(
  world: DefinitionWorld,
  warn: Warn,
): Promise<ReadonlyMap<string, PriceEntry>> {
  const found = new Map<string, PriceEntry>();
  for (const name of await endpointNames(world)) {
    try {
      const { fields, source } = await definition(name, world, () => {});
      if (fields.price === undefined) continue;
      const { model, price } = fields;
      found.set(name, { model, price, date: undefined, source });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      warn({ code: error.code, message: `endpoint "${name}" gives no price: ${error.message}` });
    }
  }
  return found;
}

const PRICE = ['input', 'output', 'cache_read', 'cache_write'] as const;
const AMOUNT = number(0);
const MODELS = mappingOf({
  expected: 'a mapping',
  read: (value) => (isObject(value) ? value : undefined),
});

async function priceList(file: string, world: DefinitionWorld): Promise<readonly PriceEntry[]> {
  const { parseYaml } = await import('../../config/yaml-file.ts');
  const source = new TextDecoder().decode(await world.files.read(file));
  const { values, lineOf } = parseYaml(source, file, 'price list');
  const at: Origin = { file, line: lineOf('models') };
  const models = MODELS.read(values.models);
  if (!isObject(models))
    throw bad('a price list has `models`, a mapping of models to their prices', at);
  return Object.entries(models).map(([model, value]) => entryOf(model, value, values, file, at));
}

function entryOf(
  model: string,
  value: unknown,
  list: Readonly<Record<string, unknown>>,
  file: string,
  at: Origin,
): PriceEntry {
  const entry = isObject(value) ? value : {};
  const price: Record<string, number> = {};
  for (const key of PRICE) {
    if (entry[key] === undefined || entry[key] === null) continue;
    const amount = AMOUNT.read(entry[key]);
    if (typeof amount !== 'number')
      throw bad(`"${key}" of "${model}" takes ${AMOUNT.expected}, money for a million tokens`, at);
    price[key] = amount;
  }
  const unknown = Object.keys(entry).find((key) => !KEYS.has(key));
  if (unknown !== undefined) throw bad(`"${model}" has an unknown key "${unknown}"`, at);
  return {
    model,
    price,
    date: textOf(entry.date) ?? textOf(list.date),
    source: textOf(entry.source) ?? textOf(list.source) ?? file,
  };
}

const KEYS: ReadonlySet<string> = new Set([...PRICE, 'date', 'source']);

const textOf = (value: unknown): string | undefined => {
  const read = text.read(value);
  return typeof read === 'string' ? read : undefined;
};

const bad = (message: string, at: Origin) =>
  configFailure('bad-prices', message, {
    at,
    next: 'write one `MODEL: {input: …, output: …, cache_read: …, cache_write: …}` a line below `models:`',
  });
