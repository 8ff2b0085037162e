import { describe, expect, it } from 'vitest';
import { findPlatform } from '../../src/models/platform.ts';
import { parseQuota } from '../../src/models/threads.ts';

describe('the binary that fits', () => {
  const glibc = '/lib64/ld-linux-x86-64.so.2';
  const musl = 'ld-musl-x86_64.so.1';
  const rows: readonly {
    name: string;
    os: string;
    arch: string;
    loader?: string;
    lib?: readonly string[];
    finds: unknown;
  }[] = [
    {
      name: 'Linux',
      os: 'linux',
      arch: 'x64',
      loader: glibc,
      finds: { name: 'linux-x64', gpu: false },
    },
    {
      name: 'Linux on 64-bit ARM',
      os: 'linux',
      arch: 'arm64',
      finds: { name: 'linux-arm64', gpu: false },
    },
    {
      name: 'Linux on 32-bit ARM',
      os: 'linux',
      arch: 'arm',
      finds: { name: 'linux-armv7l', gpu: false },
    },
    {
      name: 'a Mac with a graphics processor',
      os: 'darwin',
      arch: 'arm64',
      finds: { name: 'mac-arm64-metal', gpu: true },
    },
    { name: 'an older Mac', os: 'darwin', arch: 'x64', finds: { name: 'mac-x64', gpu: false } },
    { name: 'Windows', os: 'win32', arch: 'x64', finds: { name: 'win-x64', gpu: false } },
    {
      name: 'Linux with both C libraries',
      os: 'linux',
      arch: 'x64',
      loader: glibc,
      lib: [musl],
      finds: { name: 'linux-x64', gpu: false },
    },
    {
      name: 'Alpine has none',
      os: 'linux',
      arch: 'x64',
      lib: [musl],
      finds: expect.stringContaining('musl'),
    },
    {
      name: 'a system without any',
      os: 'aix',
      arch: 'ppc64',
      finds: 'no prebuilt binary for aix on ppc64',
    },
  ];
  for (const { name, os, arch, loader, lib = [], finds } of rows)
    it(name, async () => {
      const file = {
        kind: 'file',
        size: 1,
        modified: 0,
        changed: 0,
        device: 0,
        inode: 0,
        mode: 0o644,
      } as const;
      const files = {
        stat: async (path: string) => (path === loader ? file : undefined),
        list: async () => lib,
      };
      const found = await findPlatform({ os, arch }, files);
      expect(found.kind === 'fits' ? found.platform : found.reason).toEqual(finds);
    });
});

describe('the processors that a control group grants', () => {
  const rows: readonly [string, number][] = [
    ['200000 100000\n', 2],
    ['50000 100000\n', 0.5],
    ['max 100000\n', Infinity],
    ['', Infinity],
    ['0 100000', Infinity],
  ];
  for (const [text, processors] of rows)
    it(JSON.stringify(text), () => {
      expect(parseQuota(text)).toBe(processors);
    });
});
