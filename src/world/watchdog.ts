// A tiny shell that outlives this program when that is killed, and then ends the programs that ran beside it.

import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Reads `+ GROUP` and `- GROUP`; at the end of its input the groups that are left get a second to see it, then TERM, then KILL, with the
 * groups of what came from them, as far as `ps` and `awk` are there to tell.
 */
const SCRIPT = `all=
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
while read -r what group; do
  case $what in
    +) all="$all $group" ;;
    -) rest=; for each in $all; do [ "$each" = "$group" ] || rest="$rest $each"; done; all=$rest ;;
  esac
done
[ -z "$all" ] && exit
sleep 1
all="$all $(family 2>/dev/null)"
for each in $all; do kill -s TERM -- "-$each" 2>/dev/null; done
sleep 2
for each in $all; do kill -s KILL -- "-$each" 2>/dev/null; done`;

let dog: ChildProcess | undefined;
let guarded = 0;

/** Guards the process group until the function that it returns is called. Where there is no shell, nothing is guarded. */
export function guard(group: number): () => void {
  if (group <= 1) return () => {};
  dog ??= start();
  const mine = dog;
  tell(mine, `+ ${group}`);
  guarded += 1;
  return () => {
    tell(mine, `- ${group}`);
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
