// A refusal because the prompt is too long for the model: told by its words, with the sizes that they hold.

import { fields, parseJson } from '../../json.ts';
import { errorBody } from './error-text.ts';
import type { Reading, Site } from './problems.ts';

const OVERFLOW =
  /(?:exceeds? (?:the )?(?:available )?context (?:size|length|window|limit)|context window exceeds)|context[ _]length[ _]exceeded|exceed_context_size|max(?:imum)? (?:context|prompt) length|(?:prompt|input) (?:is )?too long|input token count\b.{0,40}exceeds|exceeded model token limit|greater than the context length|reduce the length of the (?:messages|prompt)/i;

/** Whether that is what the words of a refusal say. */
export const isOverflow = (said: string): boolean => OVERFLOW.test(said);

/** The sizes, as the server gives them or else as we can tell. */
export function overflow(site: Site, body: string, said: string): Reading {
  const { endpoint, sent } = site;
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
    next: shorter(site),
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

const group = (number: number): string => number.toLocaleString('en-US');

const TOOLS_USED = /"(?:tool_calls|tool_call_id|tool_use_id|function_call_output)"/;

/** What makes this prompt shorter, or its room larger. */
function shorter({ endpoint, body = '' }: Site): string {
  const ways = [
    'shorten the chat (`clear:` drops what stands before it)',
    ...(TOOLS_USED.test(body)
      ? ['send less of what tools said (`option: prompt_strategies shorten_tools`)']
      : []),
    ...(endpoint.backend === 'ollama' ? ['raise "num_ctx"'] : []),
    'ask a model with a larger context (-m)',
  ];
  return `${ways.slice(0, -1).join(', ')}, or ${ways.at(-1)}`;
}
