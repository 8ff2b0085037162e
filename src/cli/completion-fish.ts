// Command literals as a completion script for fish.

import {
  argumentOffers,
  beginnings,
  type Offer,
  optionOffer,
  repeatsLast,
  SHORT_FORMS,
  steps,
  valueSpellings,
} from './completion-offers.ts';
import { GLOBAL_OPTIONS, globalsBeside } from './globals.ts';
import type { CommandSpec, OptionSpec } from './spec.ts';

/** The whole script. */
export function fishScript(specs: readonly CommandSpec[]): string {
  return `# Completion of chat for fish. In this shell: chat completion fish | source
# For good: chat completion fish > ~/.config/fish/completions/chat.fish

# Whether the words typed so far name this command, and no more of a command.
function __chat_at
    set -l path
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; and continue
        contains -- (string join ' ' $path $word) ${beginnings(specs).map(quoted).join(' ')}; or break
        set -a path $word
    end
    set -l typed (string join ' ' $path)
    test "$typed" = "$argv"
end

# How many words that are neither options nor values of these options stand behind the name of the program.
function __chat_place
    set -l count 0
    set -l value no
    for word in (commandline -opc)[2..-1]
        if test $value = yes
            set value no
        else if contains -- $word $argv
            set value yes
        else if not string match -q -- '-*' $word
            set count (math $count + 1)
        end
    end
    echo $count
end

complete -c chat -f
${SHORT_FORMS.map((word) => `complete -c ${word} -f --wraps 'chat ${word}'`).join('\n')}
${GLOBAL_OPTIONS.map((option) => optionLine('', option)).join('\n')}
${[...steps(specs).flatMap(stepLines), ...specs.flatMap(commandLines)].join('\n')}
`;
}

function stepLines({ words, next }: ReturnType<typeof steps>[number]): readonly string[] {
  return next.map(
    ({ word, summary }) => `complete -c chat${condition(words)} -a ${word} -d ${quoted(summary)}`,
  );
}

function commandLines(spec: CommandSpec): readonly string[] {
  const words = spec.path.join(' ');
  const shared = globalsBeside(spec.options);
  const own = spec.options.filter((option) => !shared.includes(option));
  return [...own.map((option) => optionLine(words, option)), ...argumentLines(spec)];
}

function argumentLines(spec: CommandSpec): readonly string[] {
  const offers = argumentOffers(spec);
  return offers.flatMap((offer, index) => {
    const text = offerText(offer);
    if (text === '') return [];
    const repeats = repeatsLast(spec) && index === offers.length - 1;
    const count = `(__chat_place ${valueSpellings(spec).join(' ')})`;
    const here = `test ${count} ${repeats ? '-ge' : '-eq'} ${spec.path.length + index}`;
    return [
      `complete -c chat -n ${quoted(`__chat_at ${spec.path.join(' ')}; and ${here}`)}${text}`,
    ];
  });
}

function optionLine(words: string, option: OptionSpec): string {
  const { long, short, value, summary } = option;
  const names = `${short === undefined ? '' : ` -s ${short}`} -l ${long}`;
  const wanted = value === undefined ? '' : ` -r${offerText(optionOffer(option))}`;
  const where = words === '' ? '' : condition(words);
  return `complete -c chat${where}${names}${wanted} -d ${quoted(summary)}`;
}

const condition = (words: string): string => ` -n ${quoted(`__chat_at ${words}`.trim())}`;

function offerText(offer: Offer): string {
  switch (offer.kind) {
    case 'words':
      return ` -f -a ${quoted(offer.words.join(' '))}`;
    case 'listed':
      return ` -f -a ${quoted(`(chat completion --list ${offer.what} 2>/dev/null)`)}`;
    case 'chat':
      return ` -f -a ${quoted('(__fish_complete_suffix .chat)')}`;
    case 'file':
      return ' -F';
    case 'folder':
      return ` -f -a ${quoted('(__fish_complete_directories)')}`;
    case 'nothing':
      return '';
  }
}

const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;
