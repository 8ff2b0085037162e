// What a refused Responses request is asked again without: the answer that it goes on from, items of the provider, a field, a tool. Decides only;
// sends nothing.

import type { Failure } from '../../errors.ts';
import { fields, list } from '../../json.ts';
import type { Body } from './body.ts';
import type { Known, RunState } from './known.ts';
import { FIELD_RULES, type Refusal, type Remedy, type Rule, without } from './rules.ts';

/** The change that a refusal suggests for the request that was sent; undefined when it suggests none. */
export function remedy(
  failure: Failure,
  body: Body,
  known: Known,
  run: RunState,
): Remedy | undefined {
  const { facts } = failure;
  const given: Refusal = { said: `${failure.message} ${facts.param ?? ''}`, body, known, run };
  if (facts.response_ignored === true) return whole({ ...known, continues: false }, run);
  if (facts.kind !== 'bad_request' || facts.context_overflow === true) return undefined;
  if (facts.tools_unsupported === true || facts.model_not_found === true) return undefined;
  const lost = withoutAnswer(given);
  if (lost !== undefined) return lost;
  if (facts.status !== 400 && facts.status !== 422) return undefined;
  for (const rule of RULES) {
    const found = rule(given);
    if (found !== undefined) return found;
  }
  return undefined;
}

const whole = (known: Known, run: RunState): Remedy => ({
  known,
  run,
  what: 'previous_response',
  told: 'sent the whole conversation instead',
});

const UNSUPPORTED =
  /unsupported|unknown (?:parameter|argument|field|request)|unrecogni[sz]ed|not supported|does not support|not (?:allowed|permitted)|extra inputs|zero data/i;

/** A response that is gone is forgotten; one that was never kept means that none is. */
function withoutAnswer({ said, body, known, run }: Refusal): Remedy | undefined {
  const { continues } = body;
  if (continues === undefined) return undefined;
  if (!/previous[_ ]response/i.test(said) && !said.includes(continues)) return undefined;
  if (UNSUPPORTED.test(said)) return whole({ ...known, continues: false }, run);
  const lost = new Set([...run.lost, continues]);
  // With the response its reasoning is gone, but for what was sent along with it.
  const replay = run.replay === 'none' ? run.replay : 'readable';
  return whole(known, { ...run, lost, replay });
}

const RULES: readonly Rule[] = [withoutItems, ...FIELD_RULES, withoutReasoning];

const ITEM =
  /\bItem (?:with id )?['"`]|required (?:following|['"`]?reasoning['"`]?) item|invalid_encrypted_content|encrypted content.{0,200}(?:verif|decrypt|pars)/i;

/** Items of the provider that it does not take back: the words are in the chat. */
function withoutItems({ said, body, known, run }: Refusal): Remedy | undefined {
  if (!ITEM.test(said) || !hasOwnItems(body)) return undefined;
  return withoutHistory(known, run);
}

const withoutHistory = (known: Known, run: RunState): Remedy => ({
  known,
  run: { ...run, replay: 'none' },
  what: 'reasoning_history',
  told: 'asked again without the reasoning of earlier answers',
});

const PLAIN: ReadonlySet<unknown> = new Set([
  undefined,
  'message',
  'function_call',
  'function_call_output',
]);

const hasOwnItems = ({ fields: body }: Body): boolean =>
  list(body.input).some((item) => !PLAIN.has(fields(item).type));

function withoutReasoning({ said, body, known, run }: Refusal): Remedy | undefined {
  if (!/reasoning|thinking/i.test(said)) return undefined;
  if (body.fields.reasoning !== undefined) return without(['reasoning'], known, run);
  return hasOwnItems(body) ? withoutHistory(known, run) : undefined;
}
