// From DOT to a picture, by programs in processes of their own: a layout may take for ever, and then it is stopped.

import * as path from 'node:path';
import { homeFolder } from '../../config/folders.ts';
import { configFailure, errorCode, workFailure } from '../../errors.ts';
import type { World } from '../../world/types/world.ts';
import { clearTitles } from './titles.ts';

export type Format = 'svg' | 'png' | 'pdf';
export type Renderer = 'wasm' | 'dot';

export type LayoutWorld = Pick<
  World,
  'processes' | 'packageFolder' | 'platform' | 'env' | 'signal'
>;

export interface LayoutOptions {
  readonly renderer: Renderer;
  /** Milliseconds. */
  readonly deadline: number;
  readonly note: (text: string) => void;
}

/** The picture, or `too long` when the time was up. Anything else that goes wrong is a Failure. */
export async function layout(
  dot: string,
  format: Format,
  world: LayoutWorld,
  options: LayoutOptions,
): Promise<Uint8Array | 'too long'> {
  if (options.renderer === 'dot') return systemDot(dot, format, world, options);
  const drawn = await run(ownProgram(['svg'], dot, world, options.deadline), world);
  if (drawn === 'too long') return drawn;
  const svg = finished(text(drawn.output));
  if (format === 'svg') return bytes(svg);
  const folders = JSON.stringify(fontFolders(world));
  const picture = await run(ownProgram([format, folders], svg, world, PICTURE_DEADLINE), world);
  if (picture === 'too long') return picture;
  for (const line of picture.notes) options.note(line);
  return picture.output;
}

/** A picture of a few thousand boxes takes some ten seconds; it always ends. */
const PICTURE_DEADLINE = 120_000;

interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly input: string;
  readonly deadline: number;
}

function ownProgram(
  args: readonly string[],
  input: string,
  { packageFolder, platform }: LayoutWorld,
  deadline: number,
): Program {
  const program = path.join(packageFolder, 'share', 'draw', 'draw.mjs');
  const command = platform.executable ?? 'node';
  return { name: 'the drawing program', command, args: [program, ...args], input, deadline };
}

interface Drawn {
  readonly output: Uint8Array;
  readonly notes: readonly string[];
}

async function run(
  { name, command, args, input, deadline }: Program,
  { processes, signal, env }: LayoutWorld,
): Promise<Drawn | 'too long'> {
  const pieces: Uint8Array[] = [];
  // What the environment tells Node to load or to log has no business in a drawing.
  const { NODE_OPTIONS: _options, NODE_EXTRA_CA_CERTS: _certificates, ...rest } = env;
  const { code, stderr, timedOut } = await processes.run(command, args, {
    input,
    signal,
    env: rest,
    timeout: deadline,
    onStdoutBytes: (piece) => void pieces.push(piece),
    keepStderr: 4000,
  });
  if (timedOut === true) return 'too long';
  const output = Buffer.concat(pieces);
  const notes = stderr.split('\n').filter((line) => line !== '');
  if (code === 0 && output.length > 0) return { output, notes };
  throw workFailure(
    'drawing-failed',
    `${name} failed: ${reasonIn(notes) ?? `it ended with ${code}`}`,
    {
      next: 'write the graph with --dot and draw it with another program',
    },
  );
}

/** The line of a stack that says what it is about, else the last line. */
const reasonIn = (lines: readonly string[]): string | undefined =>
  lines.find((line) => /^\w*Error:/.test(line)) ?? lines.at(-1);

const finished = (svg: string): string => withFonts(clearTitles(svg));

/** Graphviz knows the measures of one font; who looks at the picture may have another. */
const withFonts = (svg: string): string =>
  svg.replaceAll(
    'font-family="DejaVu Sans"',
    'font-family="DejaVu Sans,Verdana,Noto Sans,Arial,sans-serif"',
  );

async function systemDot(
  input: string,
  format: Format,
  world: LayoutWorld,
  { deadline, note }: LayoutOptions,
): Promise<Uint8Array | 'too long'> {
  const sharp = format === 'png' ? ['-Gdpi=144'] : [];
  const args = [`-T${format}`, ...sharp];
  const program = { name: 'dot', command: 'dot', args, input, deadline };
  try {
    const drawn = await run(program, world);
    if (drawn === 'too long') return drawn;
    for (const line of drawn.notes) note(line);
    return format === 'svg' ? bytes(finished(text(drawn.output))) : drawn.output;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw configFailure('no-dot', 'there is no program "dot" on the PATH', {
      next: 'leave --renderer out: the program brings Graphviz with it; or install Graphviz',
      cause: error,
    });
  }
}

const text = (data: Uint8Array): string => new TextDecoder().decode(data);
const bytes = (data: string): Uint8Array => new TextEncoder().encode(data);

/** Where systems and people keep fonts. */
function fontFolders({ env, platform }: LayoutWorld): readonly string[] {
  const home = homeFolder(env);
  const data = env.XDG_DATA_HOME;
  const own = [
    ...(data === undefined || data === '' ? [] : [path.join(data, 'fonts')]),
    path.join(home, '.local', 'share', 'fonts'),
    path.join(home, '.fonts'),
  ];
  if (platform.os === 'darwin')
    return [path.join(home, 'Library', 'Fonts'), '/Library/Fonts', '/System/Library/Fonts'];
  if (platform.os === 'win32')
    return [
      path.join(env.LOCALAPPDATA ?? home, 'Microsoft', 'Windows', 'Fonts'),
      path.join(env.SystemRoot ?? 'C:\\Windows', 'Fonts'),
    ];
  return [...own, '/usr/local/share/fonts', '/usr/share/fonts'];
}
