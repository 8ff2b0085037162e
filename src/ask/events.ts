// Ask events as records for `--events`: one JSON object a line, with stable types.

import type { Failure } from '../errors.ts';
import { Interruption } from '../errors.ts';
import { harmlessJson } from '../terminal/neutralise.ts';
import type { Clock } from '../world/types/clock.ts';
import { logRecord } from './log-record.ts';
import type { AskEvent } from './types/events.ts';

/** Types of records, with what each says. The man page lists them. */
export const EVENT_TYPES: Readonly<Record<string, string>> = {
  turn_started: 'endpoint and model are settled, nothing was asked yet',
  generation_started: 'a request goes out (iteration, endpoint, model)',
  generation_chunk: 'a piece of the reply (text or thinking)',
  model_progress: 'the embedded model loads, reads the prompt or generates (phase, done, total)',
  generation_retrying:
    'a wait before the request is sent again (attempt, max_retries, next_delay in seconds, error_class, error_message)',
  generation_restarted:
    'the stream broke after output; what came so far of this round is void (reason)',
  empty_answer_retry: 'the reply was empty and is asked for once more',
  generation_completed:
    'the reply is complete (finish_reason, tokens, served_model, duration in seconds; misfit says why it is asked for again)',
  tool_call_started: 'a tool call starts (call_index from 1, call_count, tool, call)',
  tool_call_progress: 'how far a tool call is, or what its tool logs (call_index, tool, text)',
  tool_call_completed: 'a tool call ended (call_index, tool, status, duration in seconds)',
  round_completed: 'a round is complete and handed over to be saved (messages: how many)',
  partial_kept: 'text of a round that did not complete is kept as a skip message',
  answer_cached: 'the answer came from the cache; nothing was asked',
  warning: 'something worth knowing (message)',
  inbox_delivered: 'notes of the inbox were added to the prompt (files: their names)',
  http: 'a request ended, with all its attempts (method, host, url, purpose, model, status, first_token and total in seconds, attempts, cache, error)',
  reasoning_history_refused: 'the server takes no reasoning back; asked again without',
  thinking_refused: 'the server takes no word on thinking; asked again without (fields)',
  sampling_refused: 'the server does not take a field; asked again without (fields)',
  request_refused: 'the server takes the request in another form; asked again (what, fields)',
  turn_completed: 'the run ended with an answer',
  turn_canceled: 'the run was stopped (cancellation_reason)',
  turn_failed: 'the run ended with an error (error_class, message, retryable facts)',
};

type Record_ = Readonly<Record<string, unknown>> & { readonly type: string };

/** Makes the lines; `seq` counts from 1, `ts` is UTC with milliseconds. */
export function eventLines(clock: Pick<Clock, 'now'>): (record: Record_) => string {
  let seq = 0;
  return (record) => `${harmlessJson({ seq: ++seq, ts: clock.now().toISOString(), ...record })}\n`;
}

/** The record of one event. */
export function eventRecord(event: AskEvent): Record_ {
  switch (event.kind) {
    case 'request':
      return {
        type: 'generation_started',
        iteration: event.round,
        endpoint: event.endpoint.name,
        model: event.endpoint.model ?? null,
      };
    case 'text':
      return { type: 'generation_chunk', text: event.text };
    case 'thinking':
      return { type: 'generation_chunk', thinking: event.text };
    case 'progress':
      return { type: 'model_progress', phase: event.phase, done: event.done, total: event.total };
    case 'retry':
      return {
        type: 'generation_retrying',
        attempt: event.notice.attempt,
        max_retries: event.notice.maxRetries,
        next_delay: event.notice.delay / 1000,
        error_class: event.notice.kind,
        error_message: event.notice.message,
      };
    case 'restart':
      return { type: 'generation_restarted', reason: event.reason };
    case 'asked-again':
      return { type: 'empty_answer_retry', reason: event.reason };
    case 'warning':
      return { type: 'warning', message: event.message };
    case 'log':
      return logRecord(event.line);
    case 'inbox':
      return { type: 'inbox_delivered', files: event.names };
    case 'cached':
      return { type: 'answer_cached' };
    case 'reply':
      return {
        type: 'generation_completed',
        iteration: event.round,
        finish_reason: event.reply.finish.reason,
        served_model: event.reply.model ?? null,
        content_length: event.reply.text.length,
        thinking_chars: event.reply.thinking.length,
        tokens: event.reply.tokens,
        duration: inMilliseconds(event.seconds),
        ...(event.misfit === undefined ? {} : { misfit: event.misfit }),
      };
    case 'tool-start':
      return {
        type: 'tool_call_started',
        call_index: event.index + 1,
        call_count: event.count,
        tool: event.call.name,
        call: event.call.id,
      };
    case 'tool-progress':
      return {
        type: 'tool_call_progress',
        call_index: event.index + 1,
        tool: event.call.name,
        call: event.call.id,
        text: event.text,
      };
    case 'tool-end':
      return {
        type: 'tool_call_completed',
        call_index: event.index + 1,
        tool: event.call.name,
        call: event.call.id,
        status: event.failed ? 'error' : 'ok',
        duration: inMilliseconds(event.seconds),
      };
    case 'round':
      return { type: 'round_completed', messages: event.messages.length };
    case 'partial':
      return { type: 'partial_kept', messages: event.messages.length };
  }
}

/** How a run ended that did not end with an answer. */
export function endRecord(error: Failure | Interruption | Error): Record_ {
  if (error instanceof Interruption)
    return { type: 'turn_canceled', cancellation_reason: error.signal };
  if ('cause' in error && error.cause instanceof Interruption)
    return { type: 'turn_canceled', cancellation_reason: error.message };
  const facts = 'facts' in error ? (error.facts as Record<string, unknown>) : {};
  return {
    type: 'turn_failed',
    error_class: 'code' in error ? error.code : error.name,
    message: error.message,
    ...facts,
  };
}

/** Seconds with three digits behind the point. */
const inMilliseconds = (seconds: number): number => Math.round(seconds * 1000) / 1000;
