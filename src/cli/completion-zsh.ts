// Command literals as a completion script for zsh.

import {
  argumentOffers,
  beginnings,
  type Offer,
  optionOffer,
  SHORT_FORMS,
  type Step,
  steps,
} from './completion-offers.ts';
import { allOptions, GLOBAL_OPTIONS } from './globals.ts';
import type { ArgumentSpec, CommandSpec, OptionSpec } from './spec.ts';

/** The whole script: it works as a file `_chat` on the function path and when it is read by `source`. */
export function zshScript(specs: readonly CommandSpec[]): string {
  return `#compdef chat ${SHORT_FORMS.join(' ')}
# Completion of chat for zsh. In this shell: source <(chat completion zsh)
# For good: chat completion zsh > a file named _chat in a folder of $fpath

_chat_listed() {
  local -a names
  names=("\${(@f)$(chat completion --list $1 2>/dev/null)}")
  compadd -a names
}

_chat() {
  local command='' curcontext="$curcontext"
  local -a next
  # Short forms are completed as the commands that they stand for.
  if [[ "$service" == (${SHORT_FORMS.join('|')}) ]]; then
    words[1]=$service
    words=(chat $words)
    (( CURRENT++ ))
  fi
  while (( CURRENT > 2 )); do
    case "$command \${words[2]}" in
      ${beginnings(specs)
        .map((words) => quoted(` ${words}`))
        .join(' | ')}) command="$command \${words[2]}" ;;
      *) break ;;
    esac
    shift words
    (( CURRENT-- ))
  done

  case "\${command# }" in
${[...steps(specs).map(stepCase), ...specs.map(commandCase)].join('\n')}
  esac
}

if [[ "\${funcstack[1]}" == _chat ]]; then _chat "$@"
else compdef _chat chat ${SHORT_FORMS.join(' ')}
fi
`;
}

function stepCase({ words, next }: Step): string {
  const described = next.map(({ word, summary }) => quoted(`${word}:${summary}`));
  return `    ${quoted(words)})
      if [[ \${words[CURRENT]} == -* ]]; then
        _arguments -s ${GLOBAL_OPTIONS.flatMap(optionTexts).join(' ')}
      else
        next=(${described.join(' ')})
        _describe command next
      fi ;;`;
}

function commandCase(spec: CommandSpec): string {
  const texts = [...allOptions(spec.options).flatMap(optionTexts), ...argumentTexts(spec)];
  return `    ${quoted(spec.path.join(' '))})
      _arguments -s -S \\
        ${texts.join(' \\\n        ')} ;;`;
}

/** One text for each spelling; giving one excludes the other unless the option may be repeated. */
function optionTexts(option: OptionSpec): readonly string[] {
  const { long, short, value, summary, repeat } = option;
  const names = [`--${long}`, ...(short === undefined ? [] : [`-${short}`])];
  const before = repeat ? '*' : `(${names.join(' ')})`;
  const after = `[${escapeText(summary)}]${value === undefined ? '' : `:${escapeText(value)}:${action(optionOffer(option))}`}`;
  return names.map((name) => {
    const mark = value === undefined ? '' : name.startsWith('--') ? '=' : '+';
    return quoted(`${before}${name}${mark}${after}`);
  });
}

function argumentTexts(spec: CommandSpec): readonly string[] {
  const offers = argumentOffers(spec);
  return spec.arguments.map((argument, index) => {
    const offer = offers[index] ?? { kind: 'nothing' };
    return quoted(`${place(argument, index)}${escapeText(argument.name)}:${action(offer)}`);
  });
}

const place = ({ repeat, required }: ArgumentSpec, index: number): string =>
  repeat ? '*:' : `${index + 1}:${required ? '' : ':'}`;

function action(offer: Offer): string {
  switch (offer.kind) {
    case 'words':
      return `(${offer.words.join(' ')})`;
    case 'listed':
      return ` _chat_listed ${offer.what}`;
    case 'chat':
      return '_files -g "*.chat"';
    case 'file':
      return '_files';
    case 'folder':
      return '_files -/';
    case 'nothing':
      return ' ';
  }
}

const escapeText = (text: string): string => text.replace(/[\\[\]:]/g, '\\$&');
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
