// The world as one call wants to see it: `--color` decides on colour, `--quiet` mutes standard error.

import type { Output, Stream } from '../world/types/streams.ts';
import type { World } from '../world/types/world.ts';

/** The same world, with its output seen through the options of the call. */
export function adapt(world: World, color: string | undefined, quiet: boolean): World {
  const colour = color === 'always' ? true : color === 'never' ? false : undefined;
  if (colour === undefined && !quiet) return world;
  // Not a spread: that would ask the world for everything it has, also what it makes only when asked. Nor one that inherits: a spread of that
  // would hold nothing but its output.
  return Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(world),
    output: { value: adaptOutput(world.output, colour, quiet), enumerable: true },
  });
}

function adaptOutput(output: Output, colour: boolean | undefined, quiet: boolean): Output {
  const silent = () => {};
  return {
    get closed() {
      return output.closed;
    },
    write: (text) => output.write(text),
    note: quiet ? silent : (text) => output.note(text),
    noteRaw: quiet ? silent : (text) => output.noteRaw(text),
    reserve: () => output.reserve(),
    stdout: adaptStream(output.stdout, colour),
    stderr: adaptStream(output.stderr, colour),
  };
}

function adaptStream(stream: Stream, colour: boolean | undefined): Stream {
  return {
    get terminal() {
      return stream.terminal;
    },
    get colour() {
      return colour ?? stream.colour;
    },
    get columns() {
      return stream.columns;
    },
    ...(stream.redraws === undefined ? {} : { redraws: stream.redraws }),
  };
}
