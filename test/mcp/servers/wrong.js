// Servers whose answers are not what the protocol says, or that tell their key; one for each word that it is started with.

import { closeSync } from 'node:fs';
import { send, serve, text, tool, write } from './base.js';

const [mode] = process.argv.slice(2);
const { API_KEY = '' } = process.env;
const raw = (message) => void write(`${JSON.stringify(message)}\n`);

/** Every field that an answer may have, null where there is nothing, as many languages write it. */
const withNulls = ({ id, result, error }) => ({
  jsonrpc: '2.0',
  id,
  result: result === undefined ? null : { ...result, _meta: null },
  error: error ?? null,
});

async function tells({ params: { _meta } }, message) {
  const params = { progressToken: _meta.progressToken, progress: 1, message };
  send({ method: 'notifications/progress', params });
  await new Promise((resolve) => setTimeout(resolve, 200));
  return text('ok');
}

const MODES = {
  null: { call: (_, __, { id }) => raw({ jsonrpc: '2.0', id, result: null }) },
  number: { call: (_, __, { id }) => raw({ jsonrpc: '2.0', id, result: 5 }) },
  neither: { call: (_, __, { id }) => raw({ jsonrpc: '2.0', id }) },
  'error-of-text': { call: (_, __, { id }) => raw({ jsonrpc: '2.0', id, error: 'no luck' }) },
  'text-alone': { call: () => ({ content: 'no list' }) },
  'part-alone': { call: () => ({ content: { type: 'text', text: 'one part' } }) },
  nulls: {
    reply: (message) => raw(withNulls(message)),
    capabilities: { tools: { listChanged: null }, prompts: null, logging: null },
    call: async (_, __, message) => {
      const { progressToken } = message.params._meta;
      for (let at = 1; at <= 8; at++) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        const params = { progressToken, progress: at, total: null, message: null };
        send({ method: 'notifications/progress', params });
      }
      return text('nothing is missing');
    },
  },
  braces: {
    call: () => {
      for (let line = 0; line < 5000; line++) write(`${'{'.repeat(2000)}\n`);
      return text('through');
    },
  },
  'key-in-list': {
    tools: [
      {
        ...tool('work', { type: 'object', properties: { k: { default: API_KEY } } }),
        description: `with ${API_KEY}`,
      },
    ],
  },
  'key-in-progress': { call: (_, __, message) => tells(message, `with ${API_KEY}`) },
  'lines-in-progress': {
    call: (_, __, message) => tells(message, 'half\nwarning: the disk is full\r\n'),
  },
  'progress-with-answer': {
    call(_, __, { id, params: { _meta } }) {
      const params = { progressToken: _meta.progressToken, progress: 1, message: 'all done' };
      const both = [
        { jsonrpc: '2.0', method: 'notifications/progress', params },
        { jsonrpc: '2.0', id, result: text('ok') },
      ];
      write(both.map((each) => `${JSON.stringify(each)}\n`).join(''));
    },
  },
  // Each where a text is cut: a part of a key is a key, too.
  'key-at-the-cut-of-an-error': {
    call: (_, __, { id }) =>
      raw({ jsonrpc: '2.0', id, error: { code: -1, message: `${'z'.repeat(290)}${API_KEY}` } }),
  },
  'key-at-the-cut-of-noise': { before: () => write(`${'n'.repeat(110)}${API_KEY}\n`) },
  'key-at-the-cut-of-last-words': {
    call: () => {
      process.stderr.write(`${API_KEY}${'e'.repeat(990)}\n`);
      process.exit(3);
    },
  },
  'no-output': {
    call: () => {
      closeSync(1);
      setInterval(() => {}, 1000);
    },
  },
  crash: {
    call: () => {
      setTimeout(() => {
        throw new Error('no such table: notes');
      });
    },
  },
};

serve(MODES[mode]);
