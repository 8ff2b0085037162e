// What a report is asked for, and what its views share. Types only.

import type { TimeRange } from '../time.ts';
import type { Provenance } from '../types/graph.ts';
import type { Grouping } from './bills.ts';
import type { Costs } from './costs.ts';
import type { Format, Renderer } from './layout.ts';
import type { Page } from './rows.ts';
import type { Shown } from './visible.ts';

export interface ReportRequest {
  readonly paths: readonly string[];
  /** What goes to standard output, in this order. */
  readonly views: readonly View[];
  readonly by?: Grouping;
  /** File of the DOT text; `-` is standard output. */
  readonly dot?: string;
  readonly plot?: { readonly file: string; readonly format: Format };
  readonly long: boolean;
  readonly strict: boolean;
  readonly cost: boolean;
  readonly cache: boolean;
  readonly times: TimeRange;
  /** Times and other settings as they were written, for documents. */
  readonly written: Readonly<Record<string, unknown>>;
  readonly depth?: number;
  readonly only: readonly string[];
  readonly maxNodes?: number;
  readonly renderer: Renderer;
  /** Milliseconds. */
  readonly deadline: number;
}

export type View = 'tree' | 'component' | 'flow' | 'evidence' | 'table' | 'csv' | 'json' | 'ndjson';

/** What the views of one report share. */
export interface Report {
  readonly request: ReportRequest;
  readonly provenance: Provenance;
  readonly shown: Shown;
  readonly costs: Costs | undefined;
  readonly page: Page;
  readonly version: string;
  /** Absolute. */
  readonly cwd: string;
}
