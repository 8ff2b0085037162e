// Command literals as a completion script for bash (3.2 and later, without the bash-completion package).

import {
  argumentOffers,
  beginnings,
  type Offer,
  optionOffer,
  repeatsLast,
  SHORT_FORMS,
  type Step,
  spellings,
  steps,
  valueSpellings,
} from './completion-offers.ts';
import { allOptions, GLOBAL_OPTIONS } from './globals.ts';
import type { CommandSpec } from './spec.ts';

/** The whole script. Names that the program lists are never expanded by the shell. */
export function bashScript(specs: readonly CommandSpec[]): string {
  return `# Completion of chat for bash. In this shell: source <(chat completion bash)
# For good: chat completion bash > ~/.local/share/bash-completion/completions/chat

# Offers those lines of standard input that begin with what was typed.
_chat_offer() {
  local word
  while IFS= read -r word; do
    [[ $word == "$cur"* ]] && COMPREPLY+=("$(printf '%q' "$word")")
  done
}

_chat_files() {
  local word
  compopt -o filenames 2>/dev/null
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$@" -- "$cur")
}

# Chats and folders; every file where there is neither.
_chat_chats() {
  _chat_files -f -X '!*.chat'
  _chat_files -d
  [[ \${#COMPREPLY[@]} -gt 0 ]] || _chat_files -f
}

_chat_complete() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" command='' word index
  local place=0 value=''
  COMPREPLY=()
  # --option=value arrives as three words.
  if [[ $cur == = ]]; then cur=''
  elif [[ $prev == = ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    [[ $word == -* ]] && continue
    case "$command $word" in
      ${beginnings(specs)
        .map((words) => quoted(` ${words}`))
        .join(' | ')}) command="$command $word" ;;
      *) break ;;
    esac
  done
  command="\${command# }"

  # How many arguments of the command stand before this word.
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    if [[ $word == = ]]; then value=1; continue; fi
    if [[ $value ]]; then value=''; continue; fi
    case "$command $word" in
      ${specs.flatMap(valuePatterns).join(' | ')}) value=1 ;;
      *' '-*) ;;
      *) place=$((place + 1)) ;;
    esac
  done
  for word in $command; do place=$((place - 1)); done

  case "$command $prev" in
${[{ path: [], options: [] }, ...specs].flatMap(valueCases).join('\n')}
  esac

  case "$command" in
${[...steps(specs).map(stepCase), ...specs.map(commandCase)].join('\n')}
  esac
}

complete -F _chat_complete chat
${SHORT_FORMS.map(shortForm).join('\n')}
`;
}

/** `agent …` is completed as `chat agent …`. */
const shortForm = (word: string): string => `
_chat_complete_${word}() {
  COMP_WORDS=(chat "\${COMP_WORDS[@]}")
  COMP_WORDS[1]=${word}
  COMP_CWORD=$((COMP_CWORD + 1))
  _chat_complete
}
complete -F _chat_complete_${word} ${word}`;

/** What may follow an option that takes a value, however the option was spelled. */
function valueCases({ path, options }: Pick<CommandSpec, 'path' | 'options'>): readonly string[] {
  return allOptions(options)
    .filter(({ value }) => value !== undefined)
    .map((option) => {
      const patterns = spellings(option).map((text) => quoted(`${path.join(' ')} ${text}`));
      return `    ${patterns.join(' | ')}) ${offerText(optionOffer(option))}; return ;;`;
    });
}

function stepCase({ words, next }: Step): string {
  const offered = [...next.map(({ word }) => word), ...GLOBAL_OPTIONS.flatMap(spellings)];
  return `    ${quoted(words)}) ${offerText({ kind: 'words', words: offered })} ;;`;
}

function commandCase(spec: CommandSpec): string {
  const options = offerText({ kind: 'words', words: allOptions(spec.options).flatMap(spellings) });
  return `    ${quoted(spec.path.join(' '))})
      if [[ $cur == -* ]]; then ${options}
      else ${argumentText(spec)}
      fi ;;`;
}

/** What may stand at the place of this argument. */
function argumentText(spec: CommandSpec): string {
  const offers = argumentOffers(spec);
  if (offers.length === 0) return ':';
  const last = repeatsLast(spec) ? offers.length - 1 : undefined;
  const cases = offers.map(
    (offer, index) => `${index === last ? '*' : index}) ${offerText(offer)} ;;`,
  );
  return `case $place in ${cases.join(' ')} esac`;
}

function valuePatterns(spec: CommandSpec): readonly string[] {
  return valueSpellings(spec).map((text) => quoted(`${spec.path.join(' ')} ${text}`));
}

function offerText(offer: Offer): string {
  switch (offer.kind) {
    case 'words':
      return `_chat_offer < <(printf '%s\\n' ${offer.words.join(' ')})`;
    case 'listed':
      return `_chat_offer < <(chat completion --list ${offer.what} 2>/dev/null)`;
    case 'chat':
      return '_chat_chats';
    case 'file':
      return '_chat_files -f';
    case 'folder':
      return '_chat_files -d';
    case 'nothing':
      return ':';
  }
}

const quoted = (text: string): string => `'${text}'`;
