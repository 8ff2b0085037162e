// What a server's program gets of the environment: what programs need to run, and nothing that may be a key. Pure.

import type { Environment } from '../../world/types/world.ts';

const SAFE: ReadonlySet<string> = new Set(
  (
    'PATH HOME USER LOGNAME SHELL TERM TZ TMPDIR TMP TEMP LANG LANGUAGE ' +
    'APPDATA LOCALAPPDATA USERPROFILE HOMEDRIVE HOMEPATH SYSTEMROOT SYSTEMDRIVE PROGRAMFILES PATHEXT COMSPEC ' +
    'HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy SSL_CERT_FILE NODE_EXTRA_CA_CERTS ' +
    // Where this program keeps its things: it may be its own server.
    'SCOUT_HOME'
  ).split(' '),
);

/** The safe part of the environment with what the settings add. Functions that a shell has exported are left out. */
export function serverEnvironment(
  env: Environment,
  added: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const safe: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && !value.startsWith('()') && isSafe(name)) safe[name] = value;
  return { ...safe, ...added };
}

const isSafe = (name: string): boolean => SAFE.has(name) || /^(?:LC|XDG)_[A-Z_]+$/.test(name);

/**
 * Whether programs take code, the programs that they start, settings, or whom they trust and speak through from a variable of that name: who sets it
 * decides what they do.
 */
export const steersPrograms = (name: string): boolean => STEERING.some((each) => each.test(name));

const STEERING: readonly RegExp[] = [
  /^(?:PATH|PATHEXT|COMSPEC|SHELL|HOME|USERPROFILE|(?:LOCAL)?APPDATA|TMPDIR|TMP|TEMP|IFS|ENV|PS4|ZDOTDIR|SHELLOPTS|EDITOR|VISUAL|PAGER|BROWSER|CLASSPATH|SCOUT_HOME)$/i,
  /^(?:LD|DYLD|NODE|NPM|YARN|PNPM|BUN|DENO|XDG|GIT|SSH|SSL|OPENSSL|CURL|JAVA|_JAVA|JDK|MAVEN|GRADLE|LUA|UV|PIP|PIPX|CONDA|GEM|BUNDLE|CORECLR|COR|COMPLUS|DOTNET|RUSTC|CARGO|DOCKER|GCONV|GLIBC|MALLOC)_/i,
  /^(?:BASH|PYTHON|PERL|RUBY|PHP|PHPRC|GOFLAGS|GOPROXY|GOTOOL|PROMPT_COMMAND)/i,
  /(?:^|_)PROXY$|_(?:OPTIONS|OPTS|FLAGS|PRELOAD)$|CERT|CA_BUNDLE|TLS_REJECT|VERIFY/i,
];

/** Whether what has this name is a key, as far as a name can tell. */
export const isKeyName = (name: string): boolean =>
  /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH(?!OR(?!I))|COOKIE/i.test(name);

/**
 * Values that may not be shown: those under a name of a key, and those that were taken from the environment, but for paths. Short ones would
 * hide plain words. Of `Bearer KEY` the key alone is one, too.
 */
export function secretsIn(
  given: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(values)
    .filter(([name, value]) => {
      const { [name]: written = value } = given;
      if (isKeyName(name) || (written !== value && isKeyName(written))) return true;
      return written !== value && !/^(?:[A-Za-z]:)?[\\/]/.test(value);
    })
    .flatMap(([, value]) => [value, value.split(/\s+/).at(-1) ?? value])
    .filter((value) => value.length >= 8);
}
