// From what was typed to messages. Text that comes from outside (a file, standard input, a question put into a template)
// is put in place once and never searched again, and never read as chat text.

import { fileMessage } from '../chat/file-message.ts';
import { parse } from '../chat/parse.ts';
import type { Chat, Message } from '../types.ts';

export const CONTEXT_MARK = '...';
export const QUESTION_MARK = '???';

/** A question as typed: chat text, or with `literal` one user message. Undefined and empty text make no message. */
export function questionMessages(text: string | undefined, literal: boolean): Chat {
  if (text === undefined || text.trim() === '') return [];
  const origin = { file: 'the question', line: 1 };
  return literal
    ? [{ role: 'user', content: text, origin }]
    : parse(text, { file: 'the question' });
}

/** Puts the text where the first mark stands in the messages. Undefined when no message has the mark. */
export function fillMark(messages: Chat, mark: string, text: string): Chat | undefined {
  const index = messages.findIndex(({ content }) => content.includes(mark));
  const target = messages[index];
  if (target === undefined) return undefined;
  const at = target.content.indexOf(mark);
  const content = target.content.slice(0, at) + text + target.content.slice(at + mark.length);
  return messages.map((message, position) =>
    position === index ? { ...message, content } : message,
  );
}

/** A template with every mark filled with the question; one without a mark gets the question's messages at its end. */
export function fillTemplate(template: Chat, question: string | undefined, asMessages: Chat): Chat {
  if (question === undefined) return template;
  if (!wantsQuestion(template)) return [...template, ...asMessages];
  return template.map((message) => ({
    ...message,
    // split and join: the question may hold `$&` and the mark itself.
    content: message.content.split(QUESTION_MARK).join(question),
  }));
}

/** Whether a template has a place for the question. */
export function wantsQuestion(template: Chat): boolean {
  return template.some(({ content }) => content.includes(QUESTION_MARK));
}

/** Text from standard input as a message of its own, before the question. */
export function inputMessage(text: string): Message {
  return fileMessage('stdin', text, {});
}

/** Whether standard input has to be waited for to the end. */
export function wantsInput(question: Chat): boolean {
  return question.some(({ content }) => content.includes(CONTEXT_MARK));
}
