// The cases of the format's vectors: reading, and surviving a write.

import { describe, expect, test } from 'vitest';
import { normalise } from '../../src/chat/normalise.ts';
import { parse } from '../../src/chat/parse.ts';
import { print } from '../../src/chat/print.ts';
import type { Chat, MessageInput } from '../../src/types.ts';
import { bare } from '../helpers/nasty.ts';
import { vectors } from '../helpers/vectors.ts';

interface Reading {
  readonly name: string;
  readonly text: string;
  readonly role?: string;
  readonly messages: Chat;
}

interface Surviving {
  readonly name: string;
  readonly messages: readonly MessageInput[];
  readonly normalised: Chat;
}

interface File<Case> {
  readonly cases: readonly Case[];
}

describe('texts are read as', () => {
  for (const { name, text, role, messages } of vectors<File<Reading>>('parse.json').cases) {
    test(name, () => {
      expect(bare(parse(text, role === undefined ? {} : { role }))).toEqual(messages);
    });
  }
});

describe('messages survive a write:', () => {
  for (const { name, messages, normalised } of vectors<File<Surviving>>('print.json').cases) {
    test(name, () => {
      expect(bare(normalise(messages))).toEqual(normalised);
      expect(bare(parse(print(messages)))).toEqual(normalised);
    });
  }
});
