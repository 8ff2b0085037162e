// The rows of a model list: every catalogue model, and every pulled file that is none of them.

import type { Files } from '../world/types/files.ts';
import { CATALOGUE, type CatalogueModel, DEFAULT_MODEL } from './catalogue.ts';
import { listInstalled } from './installed.ts';

export interface ModelRow {
  readonly name: string;
  /** Bytes of the model file. */
  readonly size: number;
  /** Unknown for a file that is not in the catalogue. */
  readonly license?: string;
  readonly summary?: string;
  /** `damaged`: a catalogue model whose file has another size than it must have. */
  readonly state: 'pulled' | 'not pulled' | 'damaged';
  /** Used when nothing names a model. */
  readonly default: boolean;
  readonly path?: string;
}

/** The catalogue in its order, then other files by name. */
export async function describeModels(
  folder: string,
  files: Pick<Files, 'list' | 'stat'>,
  catalogue: readonly CatalogueModel[] = CATALOGUE,
): Promise<readonly ModelRow[]> {
  const installed = await listInstalled(folder, files);
  const known = catalogue.map((model): ModelRow => {
    const found = installed.find((each) => each.name === model.name);
    const whole = found?.size === model.size;
    return {
      name: model.name,
      size: model.size,
      license: model.license,
      summary: model.summary,
      state: found === undefined ? 'not pulled' : whole ? 'pulled' : 'damaged',
      default: model.name === DEFAULT_MODEL,
      ...(found === undefined ? {} : { path: found.path }),
    };
  });
  const others = installed
    .filter(({ name }) => !catalogue.some((model) => model.name === name))
    .map(
      ({ name, size, path }): ModelRow => ({ name, size, path, state: 'pulled', default: false }),
    );
  return [...known, ...others];
}
