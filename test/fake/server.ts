// A fake provider: answers by a scenario, in the bytes of one wire, and watches whether requests keep to the wire's rules.

import { fields } from '../../src/json.ts';
import {
  type FakeServer,
  type Piece,
  type RecordedRequest,
  type Script,
  startFakeServer,
} from '../helpers/fake-server.ts';
import { choose, count } from './choose.ts';
import { createMemory, type Kept, type Memory } from './memory.ts';
import { refusedBy } from './refuse.ts';
import type { Counts, Occasion, Reply, Scenario, Violation, Wire, WireName } from './types.ts';
import { anthropicWire } from './wires/anthropic.ts';
import { ollamaWire } from './wires/ollama.ts';
import { openaiWire } from './wires/openai.ts';
import { responsesWire } from './wires/responses.ts';

export const WIRES: Readonly<Record<WireName, Wire>> = {
  anthropic: anthropicWire,
  openai: openaiWire,
  responses: responsesWire,
  ollama: ollamaWire,
};

/** One request for an answer, as the server saw it. */
export interface Turn {
  readonly request: RecordedRequest;
  readonly status: number;
  readonly violation?: string;
  /** What the scenario made of it. */
  readonly reply?: Reply;
  readonly tokens?: Counts;
  readonly kept?: Kept;
}

export interface Fake extends FakeServer {
  readonly wire: Wire;
  readonly turns: Turn[];
  /** What was wrong with requests, in order. */
  readonly violations: string[];
  /** An endpoint file that leads here; fields on top of the usual ones. */
  endpoint(more?: Readonly<Record<string, unknown>>): string;
  /** Another scenario from now on; what was given out is still known. */
  play(scenario: Scenario): void;
  /** The next request begins a conversation. */
  startOver(): void;
}

export interface FakeOptions {
  /** Default: one that is free. */
  readonly port?: number;
  readonly onTurn?: (turn: Turn) => void;
}

export async function startFake(
  name: WireName,
  scenario: Scenario,
  options: FakeOptions = {},
): Promise<Fake> {
  const wire = WIRES[name];
  const memory = createMemory();
  const turns: Turn[] = [];
  const violations: string[] = [];
  let playing = scenario;
  let used = new Map<Reply, number>();
  const answers = (request: RecordedRequest): Script => {
    const isAsked = request.method === 'POST' && pathOf(request) === wire.path;
    if (!isAsked) return elsewhere(wire, request, playing);
    const { turn, script } = answer(
      wire,
      request,
      { scenario: playing, memory, used },
      turns.length,
    );
    turns.push(turn);
    if (turn.violation !== undefined) violations.push(turn.violation);
    options.onTurn?.(turn);
    return script;
  };
  const server = await startFakeServer(answers, { port: options.port ?? 0 });
  return {
    ...server,
    wire,
    turns,
    violations,
    endpoint: (more = {}) =>
      Object.entries({ ...wire.endpoint(server.url), ...more })
        .map(
          ([key, value]) =>
            `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}\n`,
        )
        .join(''),
    play(next) {
      playing = next;
      used = new Map();
    },
    startOver: () => memory.startOver(),
  };
}

const pathOf = ({ path }: RecordedRequest): string => path.split('?')[0] ?? '';

function elsewhere(wire: Wire, request: RecordedRequest, scenario: Scenario): Script {
  const value = wire.other(request, scenario);
  if (value !== undefined) return { body: fields(value) };
  const error = {
    message: `nothing at ${request.method} ${pathOf(request)}`,
    type: 'not_found_error',
  };
  return { status: 404, body: fields(wire.error(error, 404, 0)) };
}

interface State {
  readonly scenario: Scenario;
  readonly memory: Memory;
  readonly used: Map<Reply, number>;
}

function answer(
  wire: Wire,
  request: RecordedRequest,
  { scenario, memory, used }: State,
  index: number,
): { turn: Turn; script: Script } {
  const number = index + 1;
  const found = wire.check(request, scenario, memory);
  const refuse = (violation: Violation, noted: boolean, rest: Partial<Turn> = {}) => {
    const status = violation.status ?? 400;
    const turn = { request, status, ...rest, ...(noted ? { violation: violation.message } : {}) };
    return { turn, script: { status, body: fields(wire.error(violation, status, number)) } };
  };
  if (found !== undefined && scenario.strict) return refuse(found, true);
  const body = fields(request.json);
  // A refused request changes nothing: its repetition is compared with the one before.
  const refusal = refusedBy(scenario.refuse, body);
  if (refusal !== undefined) return refuse(refusal, false);
  const prompt = wire.prompt(body, memory);
  const kept = memory.compare(prompt);
  const changed = changedHistory(kept, scenario);
  if (changed !== undefined && scenario.strict) return refuse(changed, true, { kept });
  const reply = choose(scenario.replies, used, body, prompt);
  const tokens = count(prompt, reply, memory, scenario);
  const model = scenario.model ?? String(body.model ?? '');
  const occasion: Occasion = { reply, body, model, number, tokens, memory };
  const script = scriptOf(wire, occasion);
  memory.last = body;
  const violation = (found ?? changed)?.message;
  const noted = violation === undefined ? {} : { violation };
  return { turn: { request, status: script.status ?? 200, reply, tokens, kept, ...noted }, script };
}

function changedHistory(
  { same, before, difference }: Kept,
  scenario: Scenario,
): Violation | undefined {
  if (!scenario.append_only || difference === undefined) return undefined;
  const [was, is = 'nothing'] = difference;
  return {
    message: `the history changed: of ${before} pieces ${same} are as they were; then ${shown(was)} became ${shown(is)}`,
  };
}

const shown = (piece: string): string => (piece.length > 300 ? `${piece.slice(0, 300)}…` : piece);

function scriptOf(wire: Wire, occasion: Occasion): Script {
  const { reply, body, number } = occasion;
  const delivery = {
    ...(reply.headers === undefined ? {} : { headers: reply.headers }),
    ...(reply.delay === undefined ? {} : { delay: reply.delay }),
    ...(reply.split === undefined ? {} : { cut: reply.split }),
    ...(reply.pause === undefined ? {} : { pause: reply.pause }),
  };
  if (reply.body !== undefined)
    return {
      status: reply.status ?? 200,
      ...delivery,
      body: reply.body as NonNullable<Script['body']>,
    };
  if (reply.error !== undefined && reply.error_after === undefined) {
    const status = reply.status ?? 400;
    return { status, ...delivery, body: fields(wire.error(reply.error, status, number)) };
  }
  if (reply.stream === false || !wire.streams(body))
    return { ...delivery, body: fields(wire.whole(occasion)) };
  return { ...delivery, ...streamOf(wire, occasion) };
}

function streamOf(wire: Wire, occasion: Occasion): Script {
  const { reply, number } = occasion;
  const events =
    reply.events === undefined ? wire.events(occasion) : reply.events.map((data) => ({ data }));
  const end = reply.cut_after ?? reply.error_after ?? events.length;
  const cut = events.slice(0, end);
  const failed = reply.error === undefined ? cut : [...cut, wire.errorEvent(reply.error, number)];
  const body: readonly Piece[] = wire.encode(failed, reply);
  return {
    status: reply.status ?? 200,
    headers: { 'content-type': wire.contentType, ...reply.headers },
    body,
    ending: reply.ending ?? (reply.cut_after === undefined ? 'end' : 'close'),
  };
}
