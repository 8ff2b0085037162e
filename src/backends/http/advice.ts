// What one can do about a request that a server does not take: the setting that sent what it names, with its place; the file that makes it
// large; else how to look at the request. Names nothing that the request did not hold.

import { type Fields, fields, parseJson } from '../../json.ts';
import type { Origin } from '../../types.ts';
import { literally } from '../refusal-words.ts';
import type { Site } from './problems.ts';

/** The next step after a refusal. `said` are the server's words with the field that it names. */
export function adviceFor(site: Site, status: number, said: string): string {
  const { endpoint, url } = site;
  if (site.body === undefined)
    return `check "url" and the key of endpoint ${endpoint.name} (${endpoint.source})`;
  if (url.protocol === 'http:' && /http request (?:was sent )?to (?:an )?https/i.test(said))
    return 'write https:// in "url"';
  if (status === 413) return smaller(site);
  if (status === 405)
    return `check "url" and "backend" in ${endpoint.source}: nothing takes questions at ${url.pathname}`;
  if (status === 407)
    return 'put user and password into the address of the proxy (http://USER:PASSWORD@HOST:PORT)';
  if (status === 431)
    return `check "headers" and the key of endpoint ${endpoint.name} (${endpoint.source})`;
  if (status === 451 || isFlagged(said)) return 'change the question, or ask another model (-m)';
  return (
    aboutSettings(site, said) ??
    aboutFormat(site, said) ??
    'look at the request (`chat compile --wire`) and change what is complained about, or ask another model (-m)'
  );
}

/** Whether the words are about what was asked, and not about the right to ask. */
export const isFlagged = (said: string): boolean =>
  /\bflagged\b|\bmoderation\b|content[_ ](?:policy|filter)|safety system/i.test(said);

/** The size, and the file that most of it comes from. */
function smaller({ sent, attachments = new Map() }: Site): string {
  const files = [...attachments.values()].sort((a, b) => b.base64.length - a.base64.length);
  const [largest] = files;
  const size = `the request has ${sizeOf(sent)}`;
  if (largest === undefined || largest.base64.length < sent / 4)
    return `${size}: shorten the chat (\`clear:\` drops what stands before it), or ask another endpoint (-e)`;
  const of = files.length === 1 ? '' : `; the largest of its ${files.length} files`;
  const about = `"${largest.path}" (${sizeOf(largest.base64.length)})`;
  return files.length === 1
    ? `${size}, most of it ${about}: make that file smaller, or put "skip:" before it`
    : `${size}${of} is ${about}: make it smaller, or put "skip:" before it`;
}

function sizeOf(characters: number): string {
  if (characters < 1_000_000) return `${Math.ceil(characters / 1000)} kB`;
  return `${(characters / 1_000_000).toFixed(1)} MB`;
}

/** Settings that go out under other names. */
const WIRE_NAMES: Readonly<Record<string, readonly string[]>> = {
  max_tokens: ['max_completion_tokens', 'max_output_tokens', 'num_predict'],
  max_completion_tokens: ['max_tokens', 'max_output_tokens', 'num_predict'],
  thinking: ['reasoning_effort', 'chat_template_kwargs', 'output_config', 'effort', 'think'],
  reasoning_effort: ['reasoning', 'effort', 'think'],
  reasoning_summary: ['summary'],
  repetition_penalty: ['repeat_penalty'],
  stop: ['stop_sequences'],
  user: ['user_id', 'metadata'],
  cache: ['cache_control', 'prompt_cache_key'],
  context_window: ['num_ctx'],
};

/** English words that say something else when they stand without quotes. */
const PLAIN: ReadonlySet<string> = new Set(
  'stop user store provider reasoning seed metadata grammar verbosity thinking think effort summary cache'.split(
    ' ',
  ),
);

/** Settings that the words name, each with the place where it was said. */
function aboutSettings({ endpoint, body }: Site, said: string): string | undefined {
  const sent = fields(parseJson(body ?? ''));
  const { extra_body: extra, ...settings } = endpoint.settings;
  const names = Object.keys(settings).filter((name) =>
    [name, ...(WIRE_NAMES[name] ?? [])].some((wire) => isSent(wire, sent) && isNamed(wire, said)),
  );
  if (Object.keys(fields(extra)).some((name) => isSent(name, sent) && isNamed(name, said)))
    names.push('extra_body');
  const told = names.flatMap((name) => {
    const place = placeWords(endpoint.origins?.[name]);
    return place === undefined ? [] : [`"${name}" (${place})`];
  });
  if (told.length === 0) return undefined;
  const them = told.length === 1 ? 'it' : 'them';
  return `change ${told.join(' and ')}, or take ${them} out`;
}

function isNamed(name: string, said: string): boolean {
  // Fields of extra_body are named by their writer.
  const own = literally(name);
  if (new RegExp(`['"\`]${own}['"\`]|['"\`.]${own}['"\`]?(?:$|[\\s.:,])`).test(said)) return true;
  return !PLAIN.has(name) && new RegExp(`(?<!\\w)${own}(?!\\w)`).test(said);
}

/** At the top, or one level below. */
const isSent = (name: string, sent: Fields): boolean =>
  Object.hasOwn(sent, name) ||
  Object.values(sent).some((inner) => Object.hasOwn(fields(inner), name));

/** A place in words; undefined for one that is not known. */
export function placeWords(origin: Origin | string | undefined): string | undefined {
  if (origin === undefined || typeof origin === 'string') return origin;
  return origin.file === undefined
    ? `line ${origin.line} of the chat`
    : `${origin.file}:${origin.line}`;
}

const FORMAT =
  /(?<!(?:image|audio|video|file|media) )\bformat\b|response_format|json_schema|json_object|\bschema in\b/i;

/** The form of the answer, when one was asked for. */
function aboutFormat({ body = '' }: Site, said: string): string | undefined {
  if (!FORMAT.test(said)) return undefined;
  const { response_format, format, output_config, text } = fields(parseJson(body));
  const sent = response_format ?? format ?? fields(output_config).format ?? fields(text).format;
  return sent === undefined
    ? undefined
    : 'take out the form of the answer (--format, or "option: format"), or ask another model (-m)';
}
