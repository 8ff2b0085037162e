// What the words of a refusal are about, for all who ask again in another form.

/** A value out of its range is a mistake of the user's, to be told and not to be hidden. */
export function isAboutValue(message: string): boolean {
  return /input should be|must be (?:between|less|greater|at (?:least|most)|a |an |in )|out of range|too (?:large|high|small|low)|[<>]=? ?-?\d|maximum|minimum|at most|at least|(?:above|below)_m(?:ax|in)_value/i.test(
    message,
  );
}

/**
 * The fields that a refusal is about, by whoever finds names in words. What the server offers counts only where nothing else is named. Undefined
 * when leaving fields out is no help: it is about a value, or some of them may be there, and which ones is for the user to say.
 */
export function refusedFields(
  message: string,
  namedIn: (words: string) => readonly string[],
): readonly string[] | undefined {
  if (isAboutValue(message)) return undefined;
  const sure = namedIn(withoutOffers(message));
  const named = sure.length > 0 ? sure : namedIn(message);
  return named.length > 1 && TOGETHER.test(message) ? undefined : named;
}

const TOGETHER =
  /(?:cannot|can't|can not|may not|must not|should not) both\b|\bnot both\b|mutually exclusive|only one of|\b(?:set|used|specified|given|combined|provided|sent|passed) (?:together|at the same time|simultaneously)\b/i;

/**
 * The words without what the server would take in place of what it refuses: `did you mean 'top_p'?`, `supported parameters: …`. What is named
 * there is not refused.
 */
export function withoutOffers(message: string): string {
  return message.replace(OFFERED_LIST, ' ').replace(OFFERED_NAME, ' ');
}

const OFFERED_LIST =
  /(?:\bdid you mean\b|(?<!\bnot )\b(?:supported|allowed|valid|accepted|permitted|known|available|recogni[sz]ed)(?: \w+)? (?:parameters?|params?|fields?|arguments?|options?|keys?|properties|names?)\b(?: are| is| include)?:?)[^;\n]*?(?=[.;?](?:\s|$)|\n|$)/gi;
const OFFERED_NAME = /\b(?:use|try) ['"`]?[\w.]+['"`]? instead/gi;

/** One schema does not suit the server; others may, so that nothing is learned for them. */
export function isAboutOneSchema(message: string): boolean {
  return /invalid (?:json[ _])?schema|\bin context=|\bschema\.\w|\bgrammar\b|\bkeyword\b/i.test(
    message,
  );
}

/** Which of the tools, by their names on the wire, a refusal is about: one in quotes, or one by its place; undefined when it is about none. */
export function refusedTool(message: string, names: readonly string[]): number | undefined {
  const quoted = names.findIndex((name) =>
    ["'", '"', '`'].some((quote) => message.includes(`${quote}${name}${quote}`)),
  );
  const place = Number(/\btools(?:\[|\.)(\d+)/.exec(message)?.[1] ?? -1);
  const found = quoted === -1 ? place : quoted;
  return found >= 0 && found < names.length ? found : undefined;
}

/** A name as a part of a pattern that means the name: fields of `extra_body` are named by their writer. */
export const literally = (name: string): string => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
