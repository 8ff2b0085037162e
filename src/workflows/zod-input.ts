// From a zod schema to an input. Reads what a schema tells about itself, of whatever copy of zod made it; loads no zod.

import { isObject } from '../json.ts';
import { DefinitionProblem, kindOf } from './problem.ts';
import type { BaseInputType, TaskInput } from './types.ts';

/** The part of a schema that is read here. */
export interface Schema {
  readonly _zod: { readonly def: Definition };
  readonly description?: string;
  meta?(): Readonly<Record<string, unknown>> | undefined;
  safeParse(value: unknown): {
    readonly success: boolean;
    readonly error?: { readonly issues: readonly Issue[] };
  };
  parseAsync(value: unknown): Promise<unknown>;
}

interface Issue {
  readonly message: string;
  readonly path: readonly PropertyKey[];
}

interface Definition {
  readonly type: string;
  readonly innerType?: Schema;
  readonly in?: Schema;
  readonly out?: Schema;
  readonly element?: Schema;
  readonly getter?: () => Schema;
  readonly options?: readonly Schema[];
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly values?: readonly unknown[];
  readonly defaultValue?: unknown;
  readonly format?: string;
  readonly checks?: readonly { readonly _zod?: { readonly def?: { readonly format?: string } } }[];
}

export const isSchema = (value: unknown): value is Schema =>
  isObject(value) && isObject(value._zod) && typeof value.safeParse === 'function';

/** What wrappers around a schema say of the input, the outermost first. */
interface Facts {
  readonly core: Schema;
  readonly description: string;
  readonly required: boolean;
  readonly standard: unknown;
  readonly kind: string | undefined;
}

/** Throws a DefinitionProblem for a schema whose values no command line and no model could give. */
export function inputOf(name: string, schema: Schema, path: readonly string[]): TaskInput {
  const { core, description, required, standard, kind } = factsOf(schema);
  const isList = core._zod.def.type === 'array';
  const element =
    isList && core._zod.def.element !== undefined ? factsOf(core._zod.def.element) : undefined;
  const { base, ...choices } = baseOf(element?.core ?? core, kind ?? element?.kind, name, path);
  return {
    name,
    type: isList ? `${base}_array` : base,
    description,
    required,
    check: (value) => complaint(schema, value),
    ...(standard === undefined ? {} : { default: standard }),
    ...choices,
  };
}

function factsOf(schema: Schema): Facts {
  const { def } = schema._zod;
  const meta = schema.meta?.() ?? {};
  const own = {
    description: schema.description ?? '',
    kind: typeof meta.input === 'string' ? meta.input : undefined,
  };
  const inner = innerOf(def);
  if (inner === undefined) return { ...own, core: schema, required: true, standard: undefined };
  const below = factsOf(inner);
  const standard =
    def.type === 'default' || def.type === 'prefault' ? def.defaultValue : below.standard;
  const optional = ['optional', 'default', 'prefault', 'catch'].includes(def.type);
  return {
    core: below.core,
    description: own.description === '' ? below.description : own.description,
    kind: own.kind ?? below.kind,
    required: def.type === 'nonoptional' || (below.required && !optional),
    standard: def.type === 'nonoptional' ? undefined : standard,
  };
}

/** What a wrapper wraps; of a conversion the side that values come in. */
function innerOf(def: Definition): Schema | undefined {
  if (def.type === 'lazy') return def.getter?.();
  if (def.type !== 'pipe') return def.innerType;
  return def.in?._zod.def.type === 'transform' ? def.out : def.in;
}

interface Base extends Pick<TaskInput, 'values' | 'numbers'> {
  readonly base: BaseInputType;
}

function baseOf(
  schema: Schema,
  kind: string | undefined,
  name: string,
  path: readonly string[],
): Base {
  const { def } = schema._zod;
  if (def.type === 'string' || def.type === 'template_literal')
    return { base: kind === 'text' || kind === 'path' || kind === 'file' ? kind : 'string' };
  if (def.type === 'number') return { base: isWhole(def) ? 'integer' : 'float' };
  if (def.type === 'boolean') return { base: 'boolean' };
  const choices = choicesOf(schema) ?? [];
  if (areWords(choices)) return { base: 'select', values: choices };
  if (areNumbers(choices))
    return { base: choices.every(Number.isSafeInteger) ? 'integer' : 'float', numbers: choices };
  throw new DefinitionProblem(
    path,
    `input "${name}" is a zod ${def.type}, which cannot be given on a command line`,
    'take a string, a number, a boolean, an enum or literals that are all words or all numbers, or an array of one of them',
  );
}

function isWhole({ format, checks = [] }: Definition): boolean {
  const formats = [format, ...checks.map((check) => check._zod?.def?.format)];
  return formats.some((each) => each === 'safeint' || each === 'int32' || each === 'uint32');
}

/** Of an enum, literals, or a union of those. */
function choicesOf(schema: Schema): readonly unknown[] | undefined {
  const { type, entries, values, options } = schema._zod.def;
  if (type === 'enum') return entriesOf(entries ?? {});
  if (type === 'literal') return values ?? [];
  if (type !== 'union') return undefined;
  const choices = (options ?? []).map(choicesOf);
  return choices.includes(undefined) ? undefined : [...new Set(choices.flat())];
}

/** An enum of TypeScript also has the name of each number, under that number. */
function entriesOf(entries: Readonly<Record<string, unknown>>): readonly unknown[] {
  const numbers = new Set(Object.values(entries).filter((each) => typeof each === 'number'));
  return Object.entries(entries)
    .filter(([key]) => !numbers.has(Number(key)))
    .map(([, value]) => value);
}

const areWords = (values: readonly unknown[]): values is readonly string[] =>
  values.length > 0 && values.every((each) => typeof each === 'string');

const areNumbers = (values: readonly unknown[]): values is readonly number[] =>
  values.length > 0 && values.every(Number.isFinite);

/** What the schema says against a value, in words; undefined when it takes it. */
function complaint(schema: Schema, value: unknown): string | undefined {
  try {
    const { success, error } = schema.safeParse(value);
    if (success) return undefined;
    return (error?.issues ?? []).map(sentence).join(', ') || 'its schema refuses it';
  } catch {
    // A schema that has to wait for something is asked when the task runs.
    return undefined;
  }
}

function sentence({ message, path }: Issue): string {
  const text = message.charAt(0).toLowerCase() + message.slice(1);
  return path.length === 0 ? text : `${text} (at ${path.map(String).join('.')})`;
}

/**
 * The values that `run` is called with: converted by their schemas. A default that is no value of its own schema's input is made by
 * the schema. Rejects with the schema's error.
 */
export async function convertInputs(
  shape: ReadonlyMap<string, { readonly schema: Schema; readonly input: TaskInput }>,
  inputs: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const values: Record<string, unknown> = {};
  for (const [name, { schema, input }] of shape) {
    const given = inputs[name];
    const isStandard =
      input.default !== undefined && JSON.stringify(given) === JSON.stringify(input.default);
    const value = isStandard && complaint(schema, given) !== undefined ? undefined : given;
    values[name] = await schema.parseAsync(value);
  }
  return values;
}

/** Throws a DefinitionProblem for inputs that are no mapping of names to schemas. */
export function shapeOf(inputs: unknown, path: readonly string[]): ReadonlyMap<string, Schema> {
  if (inputs === undefined) return new Map();
  if (!isObject(inputs))
    throw new DefinitionProblem(
      path,
      `inputs are a mapping of names to zod schemas, not ${kindOf(inputs)}`,
    );
  return new Map(
    Object.entries(inputs).map(([name, schema]) => {
      if (isSchema(schema)) return [name, schema];
      throw new DefinitionProblem(
        [...path, name],
        `input "${name}" is a zod schema, not ${kindOf(schema)}`,
        `write it as ${name}: z.string().describe('…')`,
      );
    }),
  );
}
