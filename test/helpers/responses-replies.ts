// Transcripts of the Responses protocol, as scripts for the fake server, and a server that keeps conversations and checks what it is sent.

import type { RecordedRequest, Script } from './fake-server.ts';

/** An item of an output. */
export type Item = Readonly<Record<string, unknown>>;

export interface ResponsesReply {
  /** Default `resp_fk1`. */
  readonly id?: string;
  /** Default `fake-5`. */
  readonly model?: string;
  readonly usage?: Readonly<Record<string, unknown>>;
  /** Default `completed`. */
  readonly status?: string;
  /** Fields of the response, at its beginning and at its end. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export const message = (text: string, id = 'msg_fk1', more: Item = {}): Item => ({
  id,
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
  ...more,
});

/** Without a secret it is a mere name for what the provider keeps. */
export const reasoning = (id: string, text: string, secret?: string): Item => ({
  id,
  type: 'reasoning',
  summary: [{ type: 'summary_text', text }],
  ...(secret === undefined ? {} : { encrypted_content: secret }),
});

export const called = (callId: string, name: string, args: string): Item => ({
  id: `fc_${callId}`,
  type: 'function_call',
  call_id: callId,
  name,
  arguments: args,
  status: 'completed',
});

/** Counts that fit a short answer. */
export const USAGE = { input_tokens: 18, output_tokens: 2, total_tokens: 20 };

/** One event as a server sends it. */
export const event = (data: Item): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

/** The events of a whole streamed answer, one string each; `numbered` from 0 on. */
export function responsesEvents(output: readonly Item[], reply: ResponsesReply = {}): string[] {
  const { status = 'completed' } = reply;
  const events = [
    { type: 'response.created', response: response([], { ...reply, status: 'in_progress' }) },
    ...output.flatMap(itemEvents),
    { type: `response.${status}`, response: response(output, reply) },
  ];
  return events.map(({ type, ...rest }, index) => event({ type, sequence_number: index, ...rest }));
}

function response(output: readonly Item[], reply: ResponsesReply): Item {
  const { id = 'resp_fk1', model = 'fake-5', status = 'completed', usage = USAGE } = reply;
  return {
    ...{ id, object: 'response', created_at: 1790000100, status, model, output },
    ...{ error: null, incomplete_details: null },
    usage: status === 'in_progress' ? null : usage,
    ...reply.more,
  };
}

function itemEvents(item: Item, index: number): readonly Item[] {
  const place = { item_id: item.id, output_index: index };
  return [
    { type: 'response.output_item.added', output_index: index, item: opened(item) },
    ...deltas(item).map((more) => ({ ...place, ...more })),
    { type: 'response.output_item.done', output_index: index, item },
  ].map((each) => ({ type: '', ...each }));
}

function opened({ content, arguments: _, ...item }: Item): Item {
  if (item.type === 'function_call') return { ...item, arguments: '', status: 'in_progress' };
  if (item.type === 'message') return { ...item, content: [], status: 'in_progress' };
  return { ...item, ...(item.summary === undefined ? {} : { summary: [] }) };
}

const halves = (text: string): string[] => {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== '');
};

function deltas({ type, content, summary, arguments: args }: Item): readonly Item[] {
  const pieces = (kind: string, text: unknown, at: Item = {}): Item[] =>
    halves(String(text)).map((delta) => ({ type: `response.${kind}.delta`, ...at, delta }));
  if (type === 'function_call') return pieces('function_call_arguments', args);
  if (type === 'reasoning')
    return (summary as Item[]).flatMap(({ text }, index) =>
      pieces('reasoning_summary_text', text, { summary_index: index }),
    );
  if (type !== 'message') return [];
  return (content as Item[]).flatMap((part, index) =>
    part.type === 'refusal'
      ? pieces('refusal', part.refusal, { content_index: index })
      : pieces('output_text', part.text, { content_index: index, logprobs: [] }),
  );
}

/** A streamed answer. */
export function responsesStream(
  output: string | readonly Item[],
  reply: ResponsesReply = {},
  script: Partial<Script> = {},
): Script {
  const items = typeof output === 'string' ? [message(output)] : output;
  return { body: responsesEvents(items, reply), ...script };
}

/** The same answer as one JSON object. */
export const responsesWhole = (output: readonly Item[], reply: ResponsesReply = {}): Script => ({
  body: response(output, reply),
});

/** An error answer in the protocol's form. */
export function responsesError(status: number, text: string, more: Item = {}): Script {
  return {
    status,
    body: {
      error: { message: text, type: 'invalid_request_error', param: null, code: null, ...more },
    },
  };
}

export interface KeepingServer {
  answer(request: RecordedRequest): Script;
  /** Of each request: all that the model saw, the kept part first. */
  readonly seen: (readonly Item[])[];
  /** Forgets the conversations that it kept. */
  forget(): void;
}

/**
 * Answers with one output after the other. Keeps conversations unless told otherwise, and refuses, as the provider does: an unknown response to go on
 * from, a call without its output, reasoning that does not stand right before what it led to, or that is not the one that was given out.
 */
export function keepingServer(outputs: readonly (readonly Item[])[]): KeepingServer {
  const chains = new Map<string, readonly Item[]>();
  const given = new Map<unknown, { readonly item: Item; readonly next: unknown }>();
  const seen: (readonly Item[])[] = [];
  let count = 0;
  return {
    seen,
    forget: () => chains.clear(),
    answer({ json }) {
      const previous: string | undefined = json.previous_response_id;
      const kept = previous === undefined ? [] : chains.get(previous);
      if (kept === undefined)
        return responsesError(400, `Previous response with id '${previous}' not found.`, {
          param: 'previous_response_id',
          code: 'previous_response_not_found',
        });
      const input: readonly Item[] = [...kept, ...json.input];
      const problem = firstProblem(input, given);
      if (problem !== undefined) return responsesError(400, problem);
      seen.push(input);
      const id = `resp_${++count}`;
      const sealed = (json.include ?? []).includes('reasoning.encrypted_content');
      const output = (outputs[seen.length - 1] ?? []).map((item) => sealedItem(item, sealed));
      for (const [index, item] of output.entries())
        given.set(item.id, { item, next: output[index + 1]?.type });
      if (json.store !== false) chains.set(id, [...input, ...output]);
      return responsesStream(output, { id, more: { previous_response_id: previous ?? null } });
    },
  };
}

const sealedItem = (item: Item, sealed: boolean): Item =>
  item.type === 'reasoning' && sealed ? { ...item, encrypted_content: `sealed ${item.id}` } : item;

function firstProblem(
  input: readonly Item[],
  given: ReadonlyMap<unknown, { readonly item: Item; readonly next: unknown }>,
): string | undefined {
  const ids = (type: string) =>
    input.filter((item) => item.type === type).map((item) => item.call_id);
  const open = ids('function_call').find((id) => !ids('function_call_output').includes(id));
  if (open !== undefined) return `No tool output found for function call ${open}.`;
  const loose = ids('function_call_output').find((id) => !ids('function_call').includes(id));
  if (loose !== undefined)
    return `No tool call found for function call output with call_id ${loose}.`;
  for (const [index, item] of input.entries()) {
    if (item.type !== 'reasoning') continue;
    const known = given.get(item.id);
    if (known === undefined) return `Item with id '${item.id}' not found.`;
    if (known.item.encrypted_content !== item.encrypted_content)
      return 'The encrypted content could not be verified.';
    if ((input[index + 1]?.type ?? 'message') !== known.next)
      return `Item '${item.id}' of type 'reasoning' was provided without its required following item.`;
  }
  return undefined;
}
