// Ctrl-C while code of others runs in a loop that never gives control back: no handler of this program can run then. A tiny shell in the
// same group of the terminal hears it too, says what to do, and ends this program when it is pressed again, or when the terminal was closed.

import { type ChildProcess, spawn } from 'node:child_process';

const MESSAGE =
  'what runs here gives no control back and hears no Ctrl-C: press it once more to end the program at once';

/**
 * Its third descriptor is open as long as this program lives. Who hears the first Ctrl-C, or that the terminal is closed, kills it, so it
 * speaks and acts only when that did not happen; the cursor may be hidden then.
 */
const SCRIPT = `heard=0
trap 'heard=$((heard + 1))' INT
(trap '' HUP; exec cat <&3 >/dev/null 2>&1) &
alive=$!
exec 3<&-
closed() {
  trap '' HUP INT
  (trap 'kill $!; exit' TERM; sleep 10 & wait; kill -s KILL $PPID) >/dev/null 2>&1 &
  late=$!
  wait $alive
  kill $late
  exit
}
trap closed HUP
ends() { while [ $heard -lt "$1" ]; do wait $alive; kill -0 $alive 2>/dev/null || exit 0; done; }
ends 1
(trap '' INT; exec sleep 2) &
wait $!
kill -0 $alive 2>/dev/null || exit 0
[ $heard -gt 1 ] || printf '\\033[?25h\\n%s\\n' "$1" >&2
ends 2
kill -s KILL $PPID`;

let shell: ChildProcess | undefined;

/** From now on. */
export function listenForUs(): void {
  if (shell !== undefined) return;
  shell = spawn('/bin/sh', ['-c', SCRIPT, 'sh', MESSAGE], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    env: { PATH: '/usr/bin:/bin' },
  });
  shell.on('error', () => {});
  shell.stdio[3]?.on('error', () => {});
  // Neither it nor its pipe keeps this program alive.
  shell.unref();
  const pipe = shell.stdio[3];
  if (pipe != null && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
}

/** This program has heard a signal: the shell is not needed. */
export function heardOurselves(): void {
  shell?.kill('SIGKILL');
}
