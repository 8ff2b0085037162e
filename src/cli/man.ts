// The whole manual: a page for each command, made from its literal, and the pages written by hand in man/*.md.

import { type Failure, usageFailure } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import type { Files } from '../world/types/files.ts';
import { parsePage } from './markdown.ts';
import { commandPage, generatedBlocks } from './page.ts';
import { toPlainText } from './plain-text.ts';
import { toRoff } from './roff.ts';
import type { CommandRow } from './spec.ts';
import { pageName } from './words.ts';

export interface ManualSources {
  readonly files: Pick<Files, 'list' | 'read'>;
  readonly packageFolder: string;
}

/** Every page by its file name, `chat-print.1` and so on. */
export async function manualPages(
  rows: readonly CommandRow[],
  sources: ManualSources,
): Promise<ReadonlyMap<string, string>> {
  const pages = new Map<string, string>();
  for (const row of rows)
    pages.set(`${pageName(row.path)}.1`, toRoff(commandPage(await row.load())));
  const places = generatedBlocks(rows);
  for (const file of await handWritten(sources)) {
    const section = file.split('.').at(-2) ?? '7';
    const page = parsePage(await readSource(file, sources), section, places);
    pages.set(file.replace(/\.md$/, ''), toRoff(page));
  }
  return pages;
}

/** A hand-written page as plain text: `format` is man/chat-format.5.md. An unknown name is a Failure that suggests. */
export async function topic(
  name: string,
  rows: readonly CommandRow[],
  sources: ManualSources,
  width?: number,
): Promise<string> {
  const topics = new Map((await handWritten(sources)).map((file) => [topicName(file), file]));
  const file = topics.get(name.replace(/^chat[- ]|\(\d\)$/g, ''));
  if (file === undefined) throw unknownTopic(name, rows, [...topics.keys()]);
  const places = generatedBlocks(rows);
  return toPlainText(parsePage(await readSource(file, sources), '', places), width);
}

const topicName = (file: string): string => file.replace(/\..*$/, '').replace(/^chat-/, '');

async function handWritten({ files, packageFolder }: ManualSources): Promise<readonly string[]> {
  return (await files.list(`${packageFolder}/man`)).filter((name) => /\.\d\.md$/.test(name));
}

async function readSource(file: string, { files, packageFolder }: ManualSources): Promise<string> {
  return new TextDecoder().decode(await files.read(`${packageFolder}/man/${file}`));
}

function unknownTopic(
  name: string,
  rows: readonly CommandRow[],
  topics: readonly string[],
): Failure {
  const known = [...rows.map(({ path }) => path.join(' ')), ...topics];
  return usageFailure('unknown-topic', `there is no help about "${name}"`, {
    next: didYouMean(name, known) ?? `there is help about ${known.join(', ')}`,
  });
}
