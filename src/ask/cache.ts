// Answers kept by the digest of what was asked. A stored answer is a chat text with its original metas.

import { createHash } from 'node:crypto';
import { sentContent } from '../backends/digest.ts';
import { parse } from '../chat/parse.ts';
import { print } from '../chat/print.ts';
import { THRESHOLDS } from '../chat/strategies/thresholds.ts';
import type { Chat } from '../types.ts';
import type { Files } from '../world/types/files.ts';
import { strategised } from './strategies.ts';
import type { Plan } from './types/run.ts';

export interface Cache {
  /** What cannot be read (the folder of another user) is as good as not there. */
  get(): Promise<Chat | undefined>;
  /** Never fatal: an answer that cannot be kept is asked again next time. */
  put(messages: Chat): Promise<void>;
}

/** Settings that change how a request is sent but not what is asked. */
const TRANSPORT_SETTINGS = new Set([
  'request_timeout',
  'connect_timeout',
  'first_token_timeout',
  'retry_max',
  'retry_base',
  'remote',
  'stream',
]);

const STRATEGY_SETTINGS: ReadonlySet<string> = new Set(['prompt_strategies', ...THRESHOLDS]);

/**
 * Digest of endpoint, options and prompt as it goes out. The key, headers and timeouts are no part of it; how prompts are shortened is when
 * there may be more requests than this one.
 */
export async function cacheDigest(plan: Plan): Promise<string> {
  const { endpoint, strategies } = plan;
  const { messages } = await strategised(plan);
  const goesOn = plan.tools.length > 0;
  const settings = Object.entries(endpoint.settings)
    .filter(([name, value]) => !TRANSPORT_SETTINGS.has(name) && value !== undefined)
    .filter(([name]) => goesOn || !STRATEGY_SETTINGS.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const asked = {
    version: 1,
    backend: endpoint.backend,
    url: endpoint.url ?? null,
    model: endpoint.model ?? null,
    settings,
    format: plan.format ?? null,
    tools: plan.tools.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
    })),
    // A picture is sent as its bytes, a job's output without its place: neither changes when a project is moved.
    prompt: messages.map(({ role, content }) => [
      role,
      plan.attachments.has(content.trim()) ? '' : sentContent(role, content),
    ]),
    strategies: goesOn ? [strategies?.names ?? [], strategies?.code ?? []] : [],
    attachments: [...plan.attachments.values()].map(({ base64 }) => base64),
  };
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
}

/** The place of one question's answer below `<cache>/ask`. */
export function answerCache(plan: Plan, cacheFolder: string, files: Files): Cache {
  let found: Promise<string> | undefined;
  const place = () => {
    found ??= cacheDigest(plan).then(
      (digest) => `${cacheFolder}/ask/${digest.slice(0, 2)}/${digest}.chat`,
    );
    return found;
  };
  return {
    async get() {
      const file = await place();
      let text: string;
      try {
        if ((await files.stat(file)) === undefined) return undefined;
        text = new TextDecoder().decode(await files.read(file));
      } catch {
        return undefined;
      }
      const messages = parse(text);
      return messages.some(({ role, content }) => role === 'assistant' && content !== '')
        ? messages.map(({ role, content }) => ({ role, content }))
        : undefined;
    },
    async put(messages) {
      try {
        await files.write(await place(), print(messages), { mode: 0o600 });
      } catch {
        // A read-only or full cache folder must not spoil an answer that is there.
      }
    },
  };
}
