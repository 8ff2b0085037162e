// A server's refusal as a Failure: what it says and its status, read into a kind, whether it is worth another try, and what to do.

import { type Failure, shellWord } from '../../errors.ts';
import { fields, parseJson } from '../json.ts';
import { errorBody, errorText } from './error-text.ts';
import { type Facts, problem, type Site } from './problems.ts';
import { redactor } from './redact.ts';
import { LONGEST_WAIT } from './retry.ts';

/** A status that is no success, or an error that came with a status of 200 in place of an answer. */
export interface Refusal {
  readonly status: number;
  readonly body: string;
  /** Seconds that the server wants one to wait. */
  readonly retryAfter?: number;
  readonly location?: string;
}

interface Reading {
  readonly code: string;
  readonly kind: string;
  readonly retryable?: true;
  readonly facts?: Facts;
  readonly next?: string;
  /** In place of `HOST answered STATUS`. */
  readonly lead?: string;
}

/** Seconds to wait for credit that other running requests hold. */
const CREDIT_WAIT = 20;

/** The Failure of a refusal. What the server says is quoted in a line, without the endpoint's secrets. */
export function refused(site: Site, refusal: Refusal): Failure {
  const said = errorText(redactor(site.endpoint)(refusal.body));
  const reading = readRefusal(site, refusal, said);
  const wait = refusal.retryAfter ?? (reading.kind === 'credits_held' ? CREDIT_WAIT : undefined);
  const lead = reading.lead ?? `${site.url.host} answered ${statusWords(refusal.status)}`;
  const tooLong = reading.retryable === true && wait !== undefined && wait > LONGEST_WAIT;
  const asks = tooLong ? `; it wants a wait of ${waitWords(wait)}` : '';
  const next =
    reading.next ??
    (reading.retryable === true ? 'try again later, or ask another endpoint (-e)' : undefined);
  return problem(site, reading.code, `${lead}${said === '' ? '' : `: ${said}`}${asks}`, {
    ...(next === undefined ? {} : { next }),
    facts: {
      kind: reading.kind,
      status: refusal.status,
      retryable: reading.retryable === true,
      ...(wait === undefined ? {} : { retry_after: wait }),
      ...paramOf(refusal.body),
      ...reading.facts,
    },
  });
}

const OVERFLOW =
  /(?:exceeds? (?:the )?(?:available )?context (?:size|length|window|limit)|context window exceeds)|context[ _]length[ _]exceeded|exceed_context_size|max(?:imum)? (?:context|prompt) length|(?:prompt|input) (?:is )?too long|input token count\b.{0,40}exceeds|exceeded model token limit|greater than the context length|reduce the length of the (?:messages|prompt)/i;
/** One request is over what may be sent in a minute: it would be so again. */
const OVER_RATE = /request too large\b.{0,120}\b(?:tokens per|TPM)|tokens must be reduced/i;
const VISION =
  /support (?:for )?image (?:input|url)|image input is not supported|does not support (?:images|vision)|data required for image input|mmproj/i;
const TOOLS =
  /support tool use|does not support tools|tools? (?:is|are) not supported|auto.tool.choice/i;

/** What is said goes before the status: servers put these under several. */
function readRefusal(site: Site, { status, body, location }: Refusal, said: string): Reading {
  const all = `${said} ${errorCode(body)}`;
  if (OVERFLOW.test(all)) return overflow(site, body, said);
  if (VISION.test(all))
    return {
      code: 'images-unsupported',
      kind: 'vision_unsupported',
      next: 'ask a model that takes images, or put "skip:" before the image',
    };
  if (TOOLS.test(all))
    return {
      code: 'tools-unsupported',
      kind: 'bad_request',
      facts: { tools_unsupported: true },
      next: 'ask a model that can call tools, or take the tools out of the chat',
    };
  if (OVER_RATE.test(all))
    return {
      code: 'rate-limited',
      kind: 'rate_limited',
      next: 'shorten the chat (`clear:` drops what stands before it), or ask another endpoint (-e): this request alone is over the limit',
    };
  return byStatus(site, status, all, location);
}

const NO_MODEL =
  /model_not_found|not a valid model|\bmodel\b.{0,80}(?:not found|does not exist|is not available)/i;

function byStatus(site: Site, status: number, said: string, location?: string): Reading {
  if (status < 400) return redirect(site, location);
  if ((status === 400 || status === 404) && NO_MODEL.test(said)) return noModel(site);
  if (status === 401 || status === 403) return unauthorised(site);
  if (status === 402 || (status === 429 && /insufficient_quota|billing|spend_limit/i.test(said)))
    return credit(said);
  if (status === 429) return { code: 'rate-limited', kind: 'rate_limited', retryable: true };
  if (status === 404) return notFound(site);
  if (status === 408 || status === 409 || status >= 500)
    return { code: 'server-error', kind: 'server', retryable: true };
  return { code: 'bad-request', kind: 'bad_request' };
}

function redirect(site: Site, location = ''): Reading {
  const target = URL.canParse(location, site.url.href) ? new URL(location, site.url) : undefined;
  const to = target === undefined ? 'nowhere' : `${target.origin}${target.pathname}`;
  return {
    code: 'redirected',
    kind: 'protocol',
    lead: `${site.url.host} sends requests on to ${to}, which was not followed`,
    next: `if that is right, put the new address into "url" of ${site.endpoint.source}`,
  };
}

function unauthorised({ endpoint }: Site): Reading {
  const named = `endpoint ${endpoint.name} (${endpoint.source})`;
  return {
    code: 'not-authorized',
    kind: 'auth',
    next:
      endpoint.key === undefined
        ? `${named} has no key: set "key_env" or "key_cmd" there`
        : `check the key of ${named}`,
  };
}

function credit(said: string): Reading {
  if (/in[- ]?flight|held|pending request/i.test(said))
    return { code: 'credits-held', kind: 'credits_held', retryable: true };
  return {
    code: 'out-of-credits',
    kind: 'credits',
    next: 'add credit with the provider, or ask another endpoint (-e)',
  };
}

function noModel({ endpoint }: Site): Reading {
  return {
    code: 'model-not-found',
    kind: 'bad_request',
    facts: { model_not_found: true },
    next: `choose another model (-m), or correct "model: ${endpoint.model ?? ''}" in ${endpoint.source}; \`chat model list -e ${shellWord(endpoint.name)}\` shows them`,
  };
}

function notFound({ endpoint, url }: Site): Reading {
  return {
    code: 'not-found',
    kind: 'bad_request',
    next: `check "url" in ${endpoint.source}: nothing answers at ${url.pathname}`,
  };
}

/** The sizes, as the server gives them or else as we can tell. */
function overflow({ endpoint, sent }: Site, body: string, said: string): Reading {
  const error = fields(errorBody(parseJson(body)).error);
  const window = sizeOf(error.n_ctx, said, [
    /(?:context|prompt) (?:length|size|window)(?: of this model)? (?:is|of)(?: only)? (\d[\d,]*)/i,
    /(?:allowed \(|token limit: ?)(\d[\d,]*)/i,
    /> (\d[\d,]*)/,
  ]);
  const prompt = sizeOf(error.n_prompt_tokens, said, [
    /(?:resulted in|requested|passed|has|contains|token count)(?: about| at least)? \(?(\d[\d,]*)/i,
    /(\d[\d,]*) (?:tokens )?>/,
  ]);
  const tokens = prompt === undefined ? `about ${group(Math.ceil(sent / 4))}` : group(prompt);
  const room = window === undefined ? '' : `, and ${group(window)} fit`;
  return {
    code: 'context-overflow',
    kind: 'bad_request',
    facts: {
      context_overflow: true,
      ...(prompt === undefined ? {} : { prompt_tokens: prompt }),
      ...(window === undefined ? {} : { context_window: window }),
    },
    lead: `the prompt is too long for ${endpoint.model ?? 'the model'}: ${tokens} tokens${room}`,
    next: 'shorten the chat (`clear:` drops what stands before it), or ask a model with a larger context (-m)',
  };
}

function sizeOf(given: unknown, said: string, patterns: readonly RegExp[]): number | undefined {
  if (typeof given === 'number' && Number.isSafeInteger(given) && given > 0) return given;
  for (const pattern of patterns) {
    const found = pattern.exec(said)?.[1]?.replaceAll(',', '');
    if (found !== undefined) return Number(found);
  }
  return undefined;
}

/** The machine's words for the error: `code` and `type`, also of its details. */
function errorCode(body: string): string {
  const value = errorBody(parseJson(body));
  const error = fields(value.error);
  const details = fields(error.details);
  return [error.code, error.type, details.code, value.code, value.type]
    .filter((word) => typeof word === 'string')
    .join(' ');
}

/** The field of the request that the error is about, where it says so. */
function paramOf(body: string): Facts {
  const { param } = fields(errorBody(parseJson(body)).error);
  return typeof param === 'string' && /^[\w.]{1,60}$/.test(param) ? { param } : {};
}

const WORDS: Readonly<Record<number, string>> = {
  400: 'bad request',
  401: 'not authorized',
  402: 'payment required',
  403: 'forbidden',
  404: 'not found',
  408: 'timeout',
  409: 'conflict',
  413: 'too large',
  422: 'not processable',
  429: 'too many requests',
  500: 'server error',
  502: 'bad gateway',
  503: 'unavailable',
  504: 'gateway timeout',
  529: 'overloaded',
};

const statusWords = (status: number): string =>
  WORDS[status] === undefined ? String(status) : `${status} (${WORDS[status]})`;

const group = (number: number): string => number.toLocaleString('en-US');

function waitWords(seconds: number): string {
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  if (seconds < 7200) return `${Math.ceil(seconds / 60)} minutes`;
  if (seconds < 172_800) return `${Math.ceil(seconds / 3600)} hours`;
  return `${group(Math.ceil(seconds / 86_400))} days`;
}
