// What tables, databases and knowledge bases are. Types only.

import type { Clock } from '../world/types/clock.ts';
import type { Files } from '../world/types/files.ts';
import type { Locks } from '../world/types/locks.ts';
import type { Environment } from '../world/types/world.ts';

/** What finding, reading and indexing tables needs of the world. */
export interface KnowledgeWorld {
  readonly files: Files;
  readonly locks: Pick<Locks, 'hold'>;
  readonly clock: Pick<Clock, 'id' | 'now' | 'sleep'>;
  readonly env: Environment;
  readonly cwd: string;
  readonly packageFolder: string;
  readonly platform: { readonly node: string };
  readonly signal: AbortSignal;
}

/** How the cells of a row make associations. */
export type TableType = 'double' | 'list' | 'flat' | 'single';

/** What a table says about itself in its `#:` lines, or who registers it says about it. */
export interface TableOptions {
  readonly type?: TableType;
  /** Between cells; a tab when absent. */
  readonly sep?: string;
  /** Between the values of a cell; `;`, or `|` where a cell has one, when absent. */
  readonly sep2?: string;
  readonly undirected?: boolean;
  readonly description?: string;
  /** `Column`, `Column=~Name` or `=~Name`. */
  readonly source?: string;
  readonly target?: string;
  /** The columns that are fields, all others when absent. */
  readonly fields?: readonly string[];
}

/** What stands before the first row. */
export interface TableHeader {
  readonly options: TableOptions;
  /** Names of the columns as written. */
  readonly columns: readonly string[];
  /** The lines between the options and the names of the columns, without `#`. */
  readonly comment: string;
  /** Line of the names of the columns. */
  readonly line: number;
}

/** Which columns make associations. */
export interface Layout {
  readonly type: TableType;
  readonly sep: string;
  readonly sep2: string | undefined;
  /** How many cells a row has. */
  readonly width: number;
  /** The key holds both ends, as `source~target`. */
  readonly pair: boolean;
  readonly source: number;
  readonly target: number;
  /** Every column that is no end of an association. */
  readonly info: readonly number[];
}

/** A table as a database of associations. Made from its header alone. */
export interface Database {
  readonly name: string;
  /** Absolute. */
  readonly file: string;
  readonly description: string;
  /** What the sources are, and the targets. */
  readonly source: string;
  readonly target: string;
  readonly undirected: boolean;
  /** Names of the fields that are shown. */
  readonly fields: readonly string[];
  /** Place of each of them among what the index keeps of an association. */
  readonly places: readonly number[];
  readonly layout: Layout;
  /** What was said about it beside the table itself. */
  readonly given: TableOptions;
  /** Two columns had the same name: what they are called now. */
  readonly renamed: readonly string[];
  /** Line of the header. */
  readonly line: number;
}

/** A table in a folder, before it is looked into. */
export interface TablePlace {
  readonly name: string;
  /** Absolute. */
  readonly file: string;
}

export interface KnowledgeBase {
  readonly name: string;
  /** Absolute: a folder of tables, or one table. */
  readonly place: string;
  readonly description: string;
  readonly tables: readonly TablePlace[];
  /** Names of files that hold tables of other kinds, which are not read. */
  readonly unread?: readonly string[];
}

/** An association with the values of its fields, in the order of the database's. */
export interface Association {
  readonly source: string;
  readonly target: string;
  readonly values: readonly string[];
}
