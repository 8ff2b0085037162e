// Answers from a recording: the same events in the same order, without waiting. Needs no network.

import type { Endpoint } from '../config/types.ts';
import { configFailure, Failure, providerFailure, shellWord } from '../errors.ts';
import { fields, list, parseJson, text } from '../json.ts';
import type { Files } from '../world/types/files.ts';
import { placelessDigest, promptDigest, promptSummary } from './digest.ts';
import { textSetting } from './settings.ts';
import type { Backend, Inference, PromptRequest, ReplyEvent } from './types.ts';

export const replay: Backend = createReplay();

/** Most prompts that a failure lists. */
const LISTED = 10;

interface Recorded {
  readonly digest: string;
  /** These two are not in older recordings. */
  readonly anywhere: string | undefined;
  readonly parts: Readonly<Record<string, unknown>>;
  readonly prompt: string;
  readonly events: readonly ReplyEvent[];
}

/**
 * A backend that answers from the file that the endpoint names (`recording`, else `url`). A prompt that is asked again gets
 * the next reply that was recorded for it; after the last one, that one again. A project that was moved since is asked the same prompts.
 * A reply is the request that it was when it was recorded, and no new one; only older recordings do not tell which one.
 */
export function createReplay(): Backend {
  const asked = new Map<string, number>();
  return {
    name: 'replay',
    wire: async (request) => ({
      recording: fileOf(request.endpoint),
      digest: promptDigest(request),
      prompt: promptSummary(request),
    }),
    async *reply(request, { files, signal, warn }) {
      signal.throwIfAborted();
      const file = fileOf(request.endpoint);
      const all = await readRecording(file, request.endpoint, files, warn);
      const digest = promptDigest(request);
      const { anywhere } = placelessDigest(request);
      const exact = all.filter((recorded) => recorded.digest === digest);
      const own = exact.length > 0 ? exact : all.filter((each) => each.anywhere === anywhere);
      const key = `${digest} ${file}`;
      const count = asked.get(key) ?? 0;
      const chosen = own[Math.min(count, own.length - 1)];
      if (chosen === undefined) throw notRecorded(file, request, all);
      asked.set(key, count + 1);
      for (const event of chosen.events) {
        signal.throwIfAborted();
        yield event;
      }
    },
    async models(endpoint, { files, warn }) {
      const all = await readRecording(fileOf(endpoint), endpoint, files, warn);
      const served = all.flatMap(({ events }) =>
        events.flatMap((event) => (event.kind === 'served' && event.model ? [event.model] : [])),
      );
      return [...new Set(served)].map((id) => ({ id }));
    },
  };
}

function fileOf(endpoint: Endpoint): string {
  const file = textSetting(endpoint, 'recording') ?? endpoint.url;
  if (file !== undefined) return file;
  throw configFailure('no-recording', 'the backend "replay" needs a recording to answer from', {
    at: `endpoint ${endpoint.name} (${endpoint.source})`,
    next: 'name the file in "recording", or with -o recording=FILE',
  });
}

async function readRecording(
  file: string,
  endpoint: Endpoint,
  files: Pick<Files, 'read'>,
  warn: (message: string) => void,
): Promise<readonly Recorded[]> {
  const bytes = await files.read(file).catch((error: unknown) => {
    throw missing(file, endpoint, error);
  });
  const lines = new TextDecoder('utf-8').decode(bytes).split('\n');
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const recorded = toRecorded(parseJson(line));
    if (recorded === undefined) warn(`${file}:${index + 1}: not a recorded reply; left out`);
    return recorded === undefined ? [] : [recorded];
  });
}

/** Says who names the file, and from where: a chat may be asked in another folder than the one it was recorded in. */
function missing(file: string, { name, source }: Endpoint, error: unknown): unknown {
  if (!(error instanceof Failure) || error.code !== 'missing-file') return error;
  return new Failure({
    code: error.code,
    message: error.message,
    exitCode: error.exitCode,
    at: `endpoint ${name} (${source})`,
    next: `write it with --record ${shellWord(file)} at an endpoint that answers, or name another in "recording"; the name is seen from the working directory`,
    cause: error,
  });
}

function toRecorded(value: unknown): Recorded | undefined {
  const { version, digest, anywhere, parts, prompt, events } = fields(value);
  const read = list(events).map((entry) => list(entry)[1] as ReplyEvent | undefined);
  if (version !== 1 || typeof digest !== 'string' || read.length === 0) return undefined;
  if (!read.every((event) => text(fields(event).kind) !== undefined)) return undefined;
  return {
    digest,
    anywhere: text(anywhere),
    parts: fields(parts),
    prompt: text(prompt) ?? '',
    events: (read as ReplyEvent[]).filter((event) => event.kind !== 'inference' || isSound(event)),
  };
}

/** A recording may have been written by hand, and what it says of a request goes into chats. */
function isSound({ id, sent, endpoint }: { readonly [Name in keyof Inference]: unknown }): boolean {
  const isLine = (value: unknown) => typeof value === 'string' && /^\P{Cc}+$/u.test(value);
  return [id, sent, endpoint].every(isLine) && !Number.isNaN(Date.parse(String(sent)));
}

function notRecorded(file: string, request: PromptRequest, all: readonly Recorded[]) {
  const prompt = promptSummary(request);
  const prompts = [...new Set(all.map((recorded) => recorded.prompt))];
  const more = prompts.length > LISTED ? [`and ${prompts.length - LISTED} more`] : [];
  const similar = differences(request, prompt, all);
  return providerFailure('not-recorded', `"${file}" has no reply to this prompt (${prompt})`, {
    detail: [
      ...(similar === undefined ? [] : [similar]),
      ...prompts.slice(0, LISTED).map((each) => `recorded: ${each}`),
      ...more,
    ],
    next: `ask one of those, or record this one: ask an endpoint with --record ${shellWord(file)}`,
    facts: { kind: 'not_recorded', retryable: false },
  });
}

const PART_NAMES: Readonly<Record<string, string>> = {
  system: 'system text',
  messages: 'what was said before',
  tools: 'tools',
  format: 'the format',
  note: 'a note at the end',
  files: 'images or documents',
};

/** What is another than when the same question was recorded, of the recorded prompt that is most like this one. */
function differences(
  request: PromptRequest,
  prompt: string,
  all: readonly Recorded[],
): string | undefined {
  const { parts } = placelessDigest(request);
  const [least] = all
    .filter((each) => each.prompt === prompt && Object.keys(each.parts).length > 0)
    .map((each) => Object.keys(parts).filter((name) => each.parts[name] !== parts[name]))
    .sort((one, other) => one.length - other.length);
  if (least === undefined || least.length === 0) return undefined;
  return `the same question was recorded, but these differ: ${least.map((name) => PART_NAMES[name] ?? name).join(', ')}`;
}
