// The value of a YAML text. A module of its own, to be imported where YAML is really there: the reader costs time to load.

import { parse } from 'yaml';

/** Throws the reader's error. */
export const readYaml = (text: string): unknown => parse(text);
