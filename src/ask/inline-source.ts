// The questions in the comments of a source text, and the text with an answer put below one of them. Pure; asks nobody.

/** A comment that asks: `# ask: why?`, in the comment style of the line. A byte order mark before it belongs to the file. */
const ASKING = /^\ufeff?([ \t]*)(#|\/\/|--|;|%)\s*ask:\s*(\S.*)$/;
const MARK = '\ufeff';

export interface InlineQuestion {
  /** Counted from 0. */
  readonly line: number;
  readonly indent: string;
  readonly marker: string;
  readonly question: string;
}

/** The comments of a source text that ask and are not answered yet. */
export function inlineQuestions(source: string): readonly InlineQuestion[] {
  return source.split('\n').flatMap((text, line) => {
    const [, indent = '', marker = '', question = ''] = ASKING.exec(text.replace(/\r$/, '')) ?? [];
    return question === '' ? [] : [{ line, indent, marker, question: question.trimEnd() }];
  });
}

/** The same question in a text that was edited meanwhile, the nearest where it stands several times. Undefined when it is gone. */
export function sameQuestion(source: string, asked: InlineQuestion): InlineQuestion | undefined {
  const distance = ({ line }: InlineQuestion) => Math.abs(line - asked.line);
  return inlineQuestions(source)
    .filter(({ question, marker }) => question === asked.question && marker === asked.marker)
    .sort((one, other) => distance(one) - distance(other))[0];
}

/**
 * The source with the answer below its comment, which now says `asked:` so that it is not asked again. Fenced code of the answer
 * becomes code at the comment's depth; everything else becomes comments. A line of it that would ask says `asked:` too: what a
 * model says is never a question to the next one.
 */
export function withAnswer(source: string, asked: InlineQuestion, text: string): string {
  const lines = source.split('\n');
  const line = lines[asked.line] ?? '';
  const begin = line.startsWith(MARK) ? MARK : '';
  const end = line.endsWith('\r') ? '\r' : '';
  const answered = answerLines(asked, text).map(silenced);
  lines.splice(
    asked.line,
    1,
    ...[begin + comment(asked, `asked: ${asked.question}`), ...answered].map((each) => each + end),
  );
  return lines.join('\n');
}

function answerLines(asked: InlineQuestion, text: string): readonly string[] {
  let fence = '';
  return text.split(/\r?\n/).flatMap((line) => {
    const opener = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (fence === '' && opener !== '') {
      fence = opener;
      return [];
    }
    if (fence !== '' && opener.startsWith(fence) && line.trim() === opener) {
      fence = '';
      return [];
    }
    if (fence !== '') return [line === '' ? '' : asked.indent + line];
    return line.split(ENDS_A_COMMENT).map((part) => comment(asked, stopped(asked, part)));
  });
}

/** What some language or other takes for the end of a line: behind it a comment would go on as code that nobody sees. */
const ENDS_A_COMMENT = /[\r\v\f\x85\u2028\u2029]/;

/** In C a backslash at its end makes a comment swallow the next line. */
const stopped = ({ marker }: InlineQuestion, line: string): string =>
  marker === '//' && /\\\s*$/.test(line) ? `${line.trimEnd()} .` : line;

const comment = ({ indent, marker }: InlineQuestion, line: string): string =>
  `${indent}${marker}${line === '' ? '' : ` ${line}`}`;

const silenced = (line: string): string =>
  ASKING.test(line) ? line.replace('ask:', 'asked:') : line;
