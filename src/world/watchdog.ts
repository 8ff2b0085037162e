// A tiny shell that outlives this program when that is killed, and then ends the programs that ran beside it.

import { type ChildProcess, spawn } from 'node:child_process';

/** The variable by which what came from a program is known, also when it moved away and its parents have ended. */
export const MARK = 'SCOUT_CHAT_PROGRAM';

/**
 * Reads `+ GROUP MARK` and `- GROUP MARK`; at the end of its input the groups that are left get a second to see it, then TERM, then KILL, with
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
  for each in $marks; do [ "$each" = none ] || set -- "$@" -e "${MARK}=$each"; done
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
    +) all="$all $group"; marks="$marks $mark" ;;
    -) all=$(without "$all" "$group"); marks=$(without "$marks" "$mark") ;;
  esac
done
[ -z "$all" ] && exit
sleep 1
all="$all $(family 2>/dev/null)"
for each in $all; do kill -s TERM -- "-$each" 2>/dev/null; done
for each in $(marked); do kill -s TERM "$each" 2>/dev/null; done
sleep 2
for each in $all; do kill -s KILL -- "-$each" 2>/dev/null; done
for each in $(marked); do kill -s KILL "$each" 2>/dev/null; done`;

let dog: ChildProcess | undefined;
let guarded = 0;

/**
 * Called before something is started that will be guarded: a kill in the moment in which the shell starts would otherwise leave what
 * was started just before it.
 */
export function wakeGuard(): void {
  dog ??= start();
}

/**
 * Guards the process group, and what has this mark in its environment, until the function that it returns is called. Where there is no shell,
 * nothing is guarded.
 */
export function guard(group: number, mark = 'none'): () => void {
  if (group <= 1) return () => {};
  dog ??= start();
  const mine = dog;
  tell(mine, `+ ${group} ${mark}`);
  guarded += 1;
  return () => {
    tell(mine, `- ${group} ${mark}`);
    guarded -= 1;
    if (guarded > 0) return;
    mine.stdin?.end();
    dog = undefined;
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
