// `task run`: from the words of a command line to a computed job and its printed result.

import type { Call, CommandSpec, OptionSpec } from '../cli/spec.ts';
import { EXIT, usageFailure } from '../errors.ts';
import type { JobHost, Outcome, PlannedJob } from '../store/types.ts';
import { encode } from '../store/value.ts';
import { neutralStream } from '../terminal/neutralise.ts';
import { findWorkflow, taskOf } from '../workflows/find.ts';
import { checkFiles, readInputs } from '../workflows/inputs.ts';
import type { Task, Workflow } from '../workflows/types.ts';
import type { World } from '../world/types/world.ts';
import { openTaskStore } from './open.ts';
import { givenInputs, hiddenInputs, inputOptions } from './options.ts';
import { showJobs } from './progress.ts';

/** Names of the options that every command takes, with those of this one: inputs of the same name are given with --input. */
type Taken = readonly string[];

/** The literal with the inputs of the task that the command line names; with only a workflow named, its tasks are listed. */
export async function literalFor(
  literal: CommandSpec,
  argv: readonly string[],
  taken: Taken,
  world: World,
  host?: JobHost,
): Promise<CommandSpec> {
  const [workflowName, taskName] = firstWords(argv, literal.options);
  if (workflowName === undefined) return literal;
  const workflow = await findWorkflow(workflowName, world);
  if (taskName === undefined) {
    if (!argv.some((argument) => HELP.test(argument))) throw noTask(workflow);
    return { ...literal, details: [...literal.details, tasksOf(workflow)] };
  }
  const task = await taskOf(workflow, taskName);
  const own = inputOptions(task, taken);
  refuseLooseFlag(own, argv);
  const options = [...own, ...literal.options];
  return {
    ...literal,
    summary: plain(task.description) || literal.summary,
    options,
    details: [...aboutTask(task, workflow, taken), ...literal.details],
    run: (call, view) => runTask(task, call, options, { view, host, workflow }),
  };
}

/** `--sure false` would set the flag and take the word for something else. */
function refuseLooseFlag(options: readonly OptionSpec[], argv: readonly string[]): void {
  for (const { long } of options.filter(({ joined }) => joined)) {
    const word = argv[argv.indexOf(`--${long}`) + 1] ?? '';
    if (!argv.includes(`--${long}`) || !/^(?:true|false|yes|no|on|off|0|1)$/i.test(word)) continue;
    throw usageFailure('bad-value', `"${word}" stands apart from --${long}`, {
      next: `join them: --${long}=${word}`,
    });
  }
}

const HELP = /^(?:-h|--help|--version)$/;

function noTask({ name, tasks, file }: Workflow) {
  const names = tasks.map((task) => task.name).join(', ');
  return usageFailure('missing-argument', `name a task of ${name}`, {
    at: file,
    next: names === '' ? 'it has none' : `its tasks: ${names}`,
  });
}

/** The first words that are neither options nor their values. An option of the task that stands before them has to be joined to its value. */
function firstWords(argv: readonly string[], options: readonly OptionSpec[]): readonly string[] {
  const words: string[] = [];
  for (let index = 0; index < argv.length && words.length < 2; index++) {
    const argument = argv[index] ?? '';
    if (argument === '--') break;
    if (!argument.startsWith('-') || argument === '-') words.push(argument);
    const option = options.find(
      ({ long, short }) => argument === `--${long}` || argument === `-${short}`,
    );
    if (option?.value !== undefined || argument === '--color') index += 1;
  }
  return words;
}

const plain = (text: string): string => text.trim().split('\n')[0]?.trim().replace(/\.$/, '') ?? '';

/** What follows the first line of a description, paragraph by paragraph. */
function restOf(description: string): readonly string[] {
  const [, ...rest] = description.trim().split('\n');
  const paragraphs = rest.join('\n').split(/\n\s*\n/);
  return paragraphs.map((each) => each.trim().replace(/\s+/g, ' ')).filter((each) => each !== '');
}

function tasksOf({ name, title, tasks }: Workflow): string {
  const lines = tasks.map((task) => `    ${task.name}  ${plain(task.description)}`.trimEnd());
  return [`    Tasks of ${name}${title === name ? '' : ` (${title})`}:`, ...lines].join('\n');
}

function aboutTask(task: Task, workflow: Workflow, taken: Taken): readonly string[] {
  const hidden = hiddenInputs(task, taken);
  return [
    ...restOf(task.description),
    `This is the task ${task.name} of ${workflow.name} (${workflow.file}). Its result is ${task.exec ? 'not stored' : 'stored'}, of type ${task.result}.`,
    ...(hidden.length === 0
      ? []
      : [`Inputs whose name is taken by an option are given with --input: ${hidden.join(', ')}.`]),
  ];
}

async function runTask(
  task: Task,
  call: Call,
  options: readonly OptionSpec[],
  {
    view: world,
    host,
    workflow,
  }: { readonly view: World; readonly host: JobHost | undefined; readonly workflow: Workflow },
): Promise<number> {
  const inputs = readInputs(task, await givenInputs(task, call, options, world), 'text');
  await checkFiles(task, inputs, world);
  const [jobs, jobname] = [call.text('jobs'), call.text('jobname')];
  const store = await openTaskStore(world, {
    workflow,
    ...(jobs === undefined ? {} : { jobs }),
    ...(host === undefined ? {} : { host }),
  });
  const job = await store.jobFor(task, inputs, jobname === undefined ? {} : { jobname });
  const cpus = call.value<number>('cpus');
  const shown = showJobs(world, { quiet: call.flag('quiet'), verbose: call.flag('verbose') });
  let outcome: Outcome | undefined;
  try {
    [outcome] = await store.produce([job], {
      signal: world.signal,
      onEvent: shown.onEvent,
      ...(cpus === undefined ? {} : { cpus }),
    });
  } finally {
    shown.end();
  }
  if (outcome === undefined) return EXIT.ok;
  if (outcome.kind === 'failed') throw outcome.failure;
  await printResult(job, outcome, call.flag('path'), world);
  return EXIT.ok;
}

/**
 * Text as it is stored, with a line end at its end, and U+FFFD for what is no text, which is told. Bytes are no text: their path is
 * printed.
 */
async function printResult(
  job: PlannedJob,
  outcome: Extract<Outcome, { kind: 'done' }>,
  asPath: boolean,
  world: Pick<World, 'files' | 'output'>,
): Promise<void> {
  const { exec, result } = job.task;
  if (!exec && (asPath || result === 'binary')) return world.output.write(`${job.path}\n`);
  const stored = exec ? [toBytes(encode(outcome.value, result))] : world.files.pieces(job.path);
  if (await printText(stored, world.output)) return;
  world.output.note(
    `warning: the result is not UTF-8 all through: what is not is printed as U+FFFD; the bytes themselves are in ${job.path}`,
  );
}

const toBytes = (stored: string | Uint8Array): Uint8Array =>
  typeof stored === 'string' ? Buffer.from(stored) : stored;

/** Piece by piece, since a result may be larger than one text can be. Returns whether all of it was text. */
async function printText(
  stored: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  output: World['output'],
): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const strict = new TextDecoder('utf-8', { fatal: true });
  const harmless = output.stdout.terminal ? neutralStream() : undefined;
  let isText = true;
  let last = '';
  const print = async (text: string, end = '') => {
    const safe = (harmless?.push(text) ?? text) + end;
    if (safe !== '') last = safe;
    await output.write(safe);
  };
  for await (const piece of stored) {
    isText &&= isTextSoFar(strict, piece);
    await print(decoder.decode(piece, { stream: true }));
    if (output.closed) return true;
  }
  isText &&= isTextSoFar(strict);
  await print(decoder.decode(), harmless?.end());
  if (last !== '' && !last.endsWith('\n')) await output.write('\n');
  return isText;
}

function isTextSoFar(strict: InstanceType<typeof TextDecoder>, piece?: Uint8Array): boolean {
  try {
    strict.decode(piece, { stream: piece !== undefined });
    return true;
  } catch {
    return false;
  }
}
