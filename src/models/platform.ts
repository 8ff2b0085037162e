// Which prebuilt binary of the runtime fits a machine. Builds nothing, loads nothing.

import type { Files } from '../world/types/files.ts';
import type { World } from '../world/types/world.ts';

export interface RuntimePlatform {
  /** Name of the platform package without its scope. */
  readonly name: string;
  /** The binary reaches a graphics processor. */
  readonly gpu: boolean;
}

export type PlatformFinding =
  | { readonly kind: 'fits'; readonly platform: RuntimePlatform }
  | { readonly kind: 'unsupported'; readonly reason: string };

/** Operating system and processor, as Node names them, to the package that fits. */
const PLATFORMS: Readonly<Record<string, RuntimePlatform>> = {
  'linux-x64': { name: 'linux-x64', gpu: false },
  'linux-arm64': { name: 'linux-arm64', gpu: false },
  'linux-arm': { name: 'linux-armv7l', gpu: false },
  'linux-riscv64': { name: 'linux-riscv64', gpu: false },
  'darwin-arm64': { name: 'mac-arm64-metal', gpu: true },
  'darwin-x64': { name: 'mac-x64', gpu: false },
  'win32-x64': { name: 'win-x64', gpu: false },
  'win32-arm64': { name: 'win-arm64', gpu: false },
};

/** Loaders of the C library that the Linux binaries are linked with. */
const GLIBC_LOADERS = [
  '/lib64/ld-linux-x86-64.so.2',
  '/lib/ld-linux-aarch64.so.1',
  '/lib/ld-linux-armhf.so.3',
  '/lib/ld-linux-riscv64-lp64d.so.1',
];

/** The table alone: no look at the machine. */
export function platformOf(machine: {
  readonly os: string;
  readonly arch: string;
}): RuntimePlatform | undefined {
  return PLATFORMS[`${machine.os}-${machine.arch}`];
}

/** The platform of this machine, or why there is none. On Linux the binaries need the GNU C library. */
export async function findPlatform(
  machine: Pick<World['platform'], 'os' | 'arch'>,
  files: Pick<Files, 'stat' | 'list'>,
): Promise<PlatformFinding> {
  const platform = platformOf(machine);
  if (platform === undefined)
    return {
      kind: 'unsupported',
      reason: `no prebuilt binary for ${machine.os} on ${machine.arch}`,
    };
  if (machine.os === 'linux' && (await isMusl(files)))
    return {
      kind: 'unsupported',
      reason: 'no prebuilt binary for Linux with the musl C library (Alpine and the like)',
    };
  return { kind: 'fits', platform };
}

/** Both libraries can be installed side by side: musl counts only where the GNU loader is nowhere. */
async function isMusl(files: Pick<Files, 'stat' | 'list'>): Promise<boolean> {
  for (const loader of GLIBC_LOADERS) if ((await files.stat(loader)) !== undefined) return false;
  const names = await files.list('/lib').catch(() => []);
  return names.some((name) => name.startsWith('ld-musl-'));
}
