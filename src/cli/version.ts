// The version, as package.json has it.

import type { Files } from '../world/types/files.ts';

/** `scout-chat 1.2.3` and a line end. */
export async function versionLine(world: {
  readonly files: Pick<Files, 'read'>;
  readonly packageFolder: string;
}): Promise<string> {
  const manifest: unknown = JSON.parse(
    new TextDecoder().decode(await world.files.read(`${world.packageFolder}/package.json`)),
  );
  const known = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return `scout-chat ${known ? manifest.version : 'of unknown version'}\n`;
}
