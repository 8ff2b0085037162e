// A tiny shell that outlives this program when that is killed, and then ends the programs that ran beside it.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';

/** The variable by which what came from a program is known, also when it moved away and its parents have ended. */
export const MARK = 'SCOUT_CHAT_PROGRAM';

/**
 * Reads `+ GROUP MARK` and `- GROUP MARK`, each of them perhaps `none`; at the end of its input the groups that are left get a second to see it, then TERM, then KILL, with
 * the groups of what came from them, as far as `ps` and `awk` are there to tell, and what has a mark that is left in its environment, as far as
 * there is a /proc: a program that ends with its input may leave behind what it had moved to a group or session of its own.
 */
const SCRIPT = `all=
marks=
without() {
  rest=
  for each in $1; do [ "$each" = "$2" ] || rest="$rest $each"; done
  echo "$rest"
}
marked() {
  set --
  for each in $marks; do set -- "$@" -e "${MARK}=$each"; done
  [ $# -eq 0 ] || grep -ls "$@" /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do echo "$pid"; done
}
family() {
  ps -A -o pid= -o ppid= -o pgid= | awk -v heads="$all" '
    BEGIN { count = split(heads, head, " "); for (i = 1; i <= count; i++) group[head[i]] = 1 }
    { pid[NR] = $1; parent[NR] = $2; own[NR] = $3 }
    END {
      do {
        more = 0
        for (i = 1; i <= NR; i++)
          if (!(pid[i] in found) && (own[i] in group || parent[i] in found)) {
            found[pid[i]] = 1; group[own[i]] = 1; more = 1
          }
      } while (more)
      for (each in group) if (each > 1) print each
    }'
}
while read -r what group mark; do
  case $what in
    +)
      [ "$group" = none ] || all="$all $group"
      [ "$mark" = none ] || marks="$marks $mark" ;;
    -) all=$(without "$all" "$group"); marks=$(without "$marks" "$mark") ;;
  esac
done
[ -z "$(echo $all $marks)" ] && exit
sleep 1
all="$all $(family 2>/dev/null)"
for each in $all; do kill -s TERM -- "-$each" 2>/dev/null; done
for each in $(marked); do kill -s TERM "$each" 2>/dev/null; done
sleep 2
for each in $all; do kill -s KILL -- "-$each" 2>/dev/null; done
for each in $(marked); do kill -s KILL "$each" 2>/dev/null; done`;

let dog: ChildProcess | undefined;
let guarded = 0;

/** What is guarded from before it begins: a kill in the moment in which it starts leaves nothing either. */
export interface Guarded {
  /** To be in the environment of what is started, as `MARK`. */
  readonly mark: string;
  /** Its process group, as soon as that is known. */
  group(pid: number | undefined): void;
  /** It has ended. */
  release(): void;
}

/** Guards what will have the mark in its environment, and then its process group, until it is released. Where there is no shell, nothing is guarded. */
export function guard(): Guarded {
  const mark = randomBytes(12).toString('hex');
  dog ??= start();
  const mine = dog;
  let own = 'none';
  let isOver = false;
  tell(mine, `+ ${own} ${mark}`);
  guarded += 1;
  return {
    mark,
    group(pid = 0) {
      if (pid <= 1) return;
      own = `${pid}`;
      tell(mine, `+ ${own} none`);
    },
    release() {
      if (isOver) return;
      isOver = true;
      tell(mine, `- ${own} ${mark}`);
      guarded -= 1;
      if (guarded > 0) return;
      mine.stdin?.end();
      dog = undefined;
    },
  };
}

function start(): ChildProcess {
  const started = spawn('/bin/sh', ['-c', SCRIPT], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
  });
  started.on('error', () => {});
  started.stdin.on('error', () => {});
  // Neither it nor its pipe keeps this program alive.
  started.unref();
  if ('unref' in started.stdin && typeof started.stdin.unref === 'function') started.stdin.unref();
  return started;
}

function tell({ stdin }: ChildProcess, line: string): void {
  if (stdin?.writable === true) stdin.write(`${line}\n`);
}
