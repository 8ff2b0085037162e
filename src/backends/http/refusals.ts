// A server's refusal as a Failure: what it says and its status, read into a kind, whether it is worth another try, and what to do.

import { type Failure, shellWord } from '../../errors.ts';
import { fields, isObject, parseJson } from '../../json.ts';
import { adviceFor, isFlagged, placeWords } from './advice.ts';
import { errorBody, errorText } from './error-text.ts';
import { isOverflow, overflow } from './overflow.ts';
import { type Facts, otherUrl, problem, type Reading, type Site } from './problems.ts';
import { redactor } from './redact.ts';
import { LONGEST_WAIT, waitInWords } from './retry.ts';

/** A status that is no success, or an error that came with a status of 200 in place of an answer. */
export interface Refusal {
  readonly status: number;
  readonly body: string;
  /** Seconds that the server wants one to wait. */
  readonly retryAfter?: number;
  readonly location?: string;
}

/** Seconds to wait for credit that other running requests hold. */
const CREDIT_WAIT = 20;

/** The Failure of a refusal. What the server says is quoted in a line, without the endpoint's secrets. */
export function refused(site: Site, given: Refusal): Failure {
  const clean = redactor(site.endpoint);
  const said = errorText(clean(given.body));
  const refusal = withWait(given, said);
  const reading = readRefusal(site, refusal, said);
  const wait = refusal.retryAfter ?? (reading.kind === 'credits_held' ? CREDIT_WAIT : undefined);
  const lead = clean(reading.lead ?? `${site.url.host} answered ${statusWords(refusal.status)}`);
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

/** Some say only in words how long to wait. */
function withWait(refusal: Refusal, said: string): Refusal {
  const told = refusal.status === 429 ? waitInWords(said) : undefined;
  return told === undefined ? refusal : { retryAfter: told, ...refusal };
}

/** One request is over what may be sent in a minute: it would be so again. */
const OVER_RATE = /request too large\b.{0,120}\b(?:tokens per|TPM)|tokens must be reduced/i;
const VISION =
  /support (?:for )?image (?:input|url)|image input is not supported|does not support (?:images|vision)|data required for image input|mmproj/i;
const TOOLS =
  /support tool use|does not support tools|tools? (?:is|are) not supported|auto.tool.choice/i;

/** What is said goes before the status: servers put these under several. */
function readRefusal(site: Site, refusal: Refusal, said: string): Reading {
  const { body } = refusal;
  const all = `${said} ${errorCode(body)}`;
  if (isOverflow(all)) return overflow(site, body, said);
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
  return byStatus(site, refusal, all);
}

const NO_MODEL =
  /model_not_found|not a valid model|^invalid model\b(?! \w*(?:param|setting|config|input|output|arg|option|response))|\bmodel\b.{0,80}(?:not found|does not exist|is not available)|^model: ?\S+ not_found_error/i;
/** Money, under whatever status: providers say it with 400 and 403 too. */
const NO_CREDIT =
  /insufficient[_ ](?:quota|credits?|balance|funds)|credit balance is too low|billing_(?:error|hard_limit)|spend_limit|exceeded your current quota|specified api usage limits/i;

function byStatus(site: Site, refusal: Refusal, said: string): Reading {
  const { status, location } = refusal;
  if (status < 400) return redirect(site, location);
  if (HAS_NO_MODEL.has(status) && NO_MODEL.test(said)) return noModel(site);
  const passes = status === 429 && refusal.retryAfter !== undefined;
  // Limits that pass by themselves are told in the words of those that do not; a wait tells them apart.
  if (passes && !/insufficient_quota/.test(said)) return BUSY;
  if (status === 402 || (status === 429 && /billing/i.test(said))) return credit(site, said);
  if (status < 500 && NO_CREDIT.test(said)) return credit(site, said);
  if (status === 401 || (status === 403 && !isFlagged(said))) return unauthorised(site, status);
  if (status === 429) return BUSY;
  if (status === 404) return notFound(site, refusal);
  if (status === 408 || status === 409 || status >= 500)
    return { code: 'server-error', kind: 'server', retryable: true };
  const named = `${said} ${paramOf(refusal.body).param ?? ''}`;
  return { code: 'bad-request', kind: 'bad_request', next: adviceFor(site, status, named) };
}

const BUSY: Reading = { code: 'rate-limited', kind: 'rate_limited', retryable: true };

const HAS_NO_MODEL: ReadonlySet<number> = new Set([400, 403, 404, 422]);

function redirect(site: Site, location = ''): Reading {
  const target = URL.canParse(location, site.url.href) ? new URL(location, site.url) : undefined;
  const to = target === undefined ? 'nowhere' : `${target.origin}${target.pathname}`;
  return {
    code: 'redirected',
    kind: 'protocol',
    lead: `${site.url.host} sends requests on to ${to}, which was not followed`,
    next: `if that is right, ${otherUrl(site.endpoint)}`,
  };
}

function unauthorised({ endpoint }: Site, status: number): Reading {
  const named = `endpoint ${endpoint.name} (${endpoint.source})`;
  const isOurs = endpoint.source === 'built-in';
  const without = isOurs
    ? `endpoint ${endpoint.name} has no key: name its variable with -o key_env=…`
    : `${named} has no key: set "key_env" or "key_cmd" there`;
  const other = `check what the key of ${named} may do, or ask another endpoint (-e)`;
  const next = status === 403 ? other : `check the key of ${named}`;
  return {
    code: 'not-authorized',
    kind: 'auth',
    next: endpoint.key === undefined ? without : next,
  };
}

function credit({ endpoint }: Site, said: string): Reading {
  if (/in[- ]?flight|held|pending request/i.test(said))
    return { code: 'credits-held', kind: 'credits_held', retryable: true };
  return {
    code: 'out-of-credits',
    kind: 'credits',
    next: `look after credit and limits where the key of endpoint ${endpoint.name} (${endpoint.source}) is billed, or ask another endpoint (-e)`,
  };
}

function noModel({ endpoint }: Site): Reading {
  const { model = '', name, source, origins } = endpoint;
  const usual = source === 'built-in' ? undefined : source;
  const said = origins?.model;
  // A name that was typed, and one that the server gave itself, stand nowhere.
  const known = typeof said === 'object' ? placeWords(said) : undefined;
  const place = origins === undefined ? usual : known;
  const correct = place === undefined ? '' : `, or correct "${model}" in ${place}`;
  return {
    code: 'model-not-found',
    kind: 'bad_request',
    facts: { model_not_found: true },
    next: `choose another model (-m)${correct}; \`chat model list -e ${shellWord(name)}\` shows them`,
  };
}

/** Words of a server that knows the address, and not what was asked for there, are no reason to doubt the address alone. */
function notFound({ endpoint, url }: Site, { body }: Refusal): Reading {
  const { error } = errorBody(parseJson(body));
  const place = `"url" of endpoint ${endpoint.name} (${endpoint.source})`;
  return {
    code: 'not-found',
    kind: 'bad_request',
    next: isObject(error)
      ? `check ${place} and the model (-m): it was asked at ${url.pathname}`
      : `check ${place}: nothing answers at ${url.pathname}`,
  };
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
  405: 'method not allowed',
  407: 'the proxy wants a password',
  408: 'timeout',
  409: 'conflict',
  413: 'too large',
  422: 'not processable',
  429: 'too many requests',
  431: 'headers too large',
  451: 'not allowed by law',
  500: 'server error',
  502: 'bad gateway',
  503: 'unavailable',
  504: 'gateway timeout',
  529: 'overloaded',
};

const statusWords = (status: number): string =>
  WORDS[status] === undefined ? String(status) : `${status} (${WORDS[status]})`;

function waitWords(seconds: number): string {
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  if (seconds < 7200) return `${Math.ceil(seconds / 60)} minutes`;
  if (seconds < 172_800) return `${Math.ceil(seconds / 3600)} hours`;
  return `${Math.ceil(seconds / 86_400).toLocaleString('en-US')} days`;
}
