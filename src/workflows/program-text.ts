// Where a word of a command is the text of a program (`sh -c …`, `python3 -c …`, `awk …`) or the name of one (`sudo …`): a value put there would
// become code.

import { DefinitionProblem } from './problem.ts';
import type { TaskInput } from './types.ts';
import { baseType } from './values.ts';

/** Programs whose text follows an option, by the last letters that the option may have. */
const WITH_OPTION: readonly { readonly program: RegExp; readonly option: RegExp }[] = [
  { program: /^(?:sh|bash|dash|zsh|ksh|ash|fish|su)$/, option: /^-\w*c$/ },
  { program: /^python[\d.]*$/, option: /^-\w*c$/ },
  { program: /^(?:perl|ruby|lua|Rscript)$/, option: /^-\w*[eE]$/ },
  { program: /^(?:node|bun|deno)$/, option: /^(?:-\w*[ep]|--eval|--print|eval)$/ },
  { program: /^php$/, option: /^-\w*r$/ },
];

/** Programs that run another, and their options that have a word of their own behind them. */
const WRAPPERS: ReadonlyMap<string, RegExp | undefined> = new Map([
  ['env', /^-\w*[uC]$/],
  ['sudo', /^-\w*[CDghpRrTtUu]$/],
  ['doas', /^-\w*[Cu]$/],
  ['nice', /^-\w*n$/],
  ['ionice', /^-\w*[cnpPu]$/],
  ['timeout', /^-\w*[ks]$/],
  ['time', /^-\w*[fo]$/],
  ['exec', /^-\w*a$/],
  ['xargs', /^-\w*[adEILnPs]$/],
  ['stdbuf', /^-\w*[ioe]$/],
  ['nohup', undefined],
  ['command', undefined],
  ['builtin', undefined],
  ['setsid', undefined],
]);
/** What stands between them and that: options, settings and times. */
const BETWEEN = /^(?:-.*|\w+=.*|[\d.]+[smhd]?)$/;
const TIME = /^[\d.]+[smhd]?$/;
/** Programs whose text is the first word that is no option. */
const FIRST_WORD = /^(?:[gmn]?awk|g?sed|eval|trap|let)$/;
const SSH_OPTION = /^-\w*[bcDEeFIiJLlmOopQRSWw]$/;
const OPTION_WITH_VALUE = /^-[fvF]$/;

/** Whether the word behind these is the text of a program. */
export function isProgramText(before: readonly string[]): boolean {
  const last = before.at(-1) ?? '';
  const names = before.map((word) => word.replace(/^.*\//, ''));
  if (
    WITH_OPTION.some(
      ({ program, option }) => option.test(last) && names.some((name) => program.test(name)),
    )
  )
    return true;
  const start = names.findIndex((name) => !WRAPPERS.has(name) && !BETWEEN.test(name));
  const name = names[start] ?? '';
  const rest = before.slice(start + 1);
  // Both hand all their words to a shell, as one text.
  if (name === 'watch') return !/^-\w*n$/.test(last);
  if (name === 'ssh') return !SSH_OPTION.test(last) && rest.some(isHost);
  if (!FIRST_WORD.test(name)) return false;
  if (last === '-e' || last === '--expression') return true;
  return (
    !OPTION_WITH_VALUE.test(last) && rest.every((word, index) => isOption(word, rest[index - 1]))
  );
}

const isOption = (word: string, before = ''): boolean =>
  word.startsWith('-') || OPTION_WITH_VALUE.test(before);

const isHost = (word: string, index: number, rest: readonly string[]): boolean =>
  !word.startsWith('-') && !SSH_OPTION.test(rest[index - 1] ?? '');

/** Whether the word behind these is the name of the program that another one runs: `sudo …`, `find -exec …`. */
export function isProgramName(before: readonly string[]): boolean {
  const last = before.at(-1) ?? '';
  const names = before.map((word) => word.replace(/^.*\//, ''));
  if (/^-(?:exec|execdir|ok|okdir)$/.test(last)) return names.includes('find');
  const wrapper = names.findLastIndex((name) => WRAPPERS.has(name));
  if (wrapper < 0 || !names.every((name) => WRAPPERS.has(name) || BETWEEN.test(name))) return false;
  const name = names[wrapper] ?? '';
  if (WRAPPERS.get(name)?.test(last)) return false;
  return name !== 'timeout' || names.slice(wrapper).some((name) => TIME.test(name));
}

/** Whether a here-document behind this line is the text of a program. */
export function feedsProgram(line: string): boolean {
  const names = wordsOf(line).map((word) => word.replace(/^.*\//, ''));
  return names.some((name) => WITH_OPTION.some(({ program }) => program.test(name)));
}

/** The words of the last simple command of a script, roughly: good enough to see which program it is. */
export function wordsOf(script: string): readonly string[] {
  const words = script.match(/'[^']*'|"(?:\\.|[^"\\])*"|[;|&()`\n]|[^\s;|&()`'"]+/g) ?? [];
  return words.slice(words.findLastIndex((word) => /^[;|&()`\n]$/.test(word)) + 1);
}

/** Throws a DefinitionProblem, unless every value of the input is harmless wherever it stands. */
export function refuseInProgram(input: TaskInput, path: readonly string[]): void {
  const base = baseType(input);
  if (base === 'integer' || base === 'float' || base === 'boolean' || input.values !== undefined)
    return;
  throw new DefinitionProblem(
    path,
    `{{${input.name}}} stands in the text of a program, where its value would become code`,
    `let the program read it from its environment, as INPUT_${input.name}, or give it as an argument`,
  );
}
