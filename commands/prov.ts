// What produced a chat or a job, and what it cost: as a tree, a flow, a picture, evidence, or data. Reads only.

import { defineCommand, positiveNumber, wholeNumber } from '../src/cli/spec.ts';
import type { World } from '../src/world/types/world.ts';
import { requestOf } from './prov-request.ts';

export const command = defineCommand({
  path: ['prov'],
  summary: 'Explain what produced chats and jobs, and what it cost',
  arguments: [
    {
      name: 'path',
      summary: 'A chat, a job (its path, or Workflow/task/name), or a folder with some',
      required: true,
      repeat: true,
      complete: 'path',
    },
  ],
  options: [
    {
      long: 'component',
      short: 'c',
      group: 'View',
      summary: 'The tree with the tokens of each node itself; with receipts, the four totals',
    },
    {
      long: 'flow',
      short: 'f',
      group: 'View',
      summary: 'Numbered nodes and arrows, with the data',
    },
    {
      long: 'evidence',
      short: 'e',
      group: 'View',
      summary: 'Every request with each place that tells of it, and checks of the sums',
    },
    {
      long: 'by',
      value: 'group',
      group: 'View',
      choices: ['day', 'model', 'agent', 'workflow'],
      summary: 'A table of requests and tokens by day, model, agent or workflow',
    },
    { long: 'json', group: 'View', summary: 'Everything as one JSON document' },
    { long: 'ndjson', group: 'View', summary: 'The same, one JSON object a line' },
    { long: 'csv', group: 'View', summary: 'The table of --by as CSV' },
    {
      long: 'dot',
      value: 'file',
      group: 'Picture',
      complete: 'file',
      summary: 'Write the graph as DOT (- is standard output)',
    },
    {
      long: 'plot',
      short: 'p',
      value: 'file',
      group: 'Picture',
      complete: 'file',
      summary: 'Draw it: FILE.svg, FILE.png or FILE.pdf',
    },
    {
      long: 'max-nodes',
      value: 'number',
      group: 'Picture',
      read: wholeNumber('max-nodes', 1),
      summary: 'Fold nodes that are alike when there are more (default 500)',
    },
    {
      long: 'only',
      value: 'what',
      group: 'Picture',
      repeat: true,
      summary: 'Draw only job, chat, failed, a workflow, or Workflow/task',
    },
    {
      long: 'renderer',
      value: 'name',
      group: 'Picture',
      choices: ['wasm', 'dot'],
      summary: 'What lays it out: wasm (built in), or the dot of this machine',
    },
    {
      long: 'timeout',
      value: 'seconds',
      group: 'Picture',
      read: positiveNumber('timeout'),
      summary: 'Try a simpler layout after so long (default 20)',
    },
    {
      long: 'depth',
      value: 'number',
      group: 'Selection',
      read: wholeNumber('depth'),
      summary: 'At most so many steps from what was asked about (tree and picture)',
    },
    {
      long: 'since',
      value: 'time',
      group: 'Selection',
      summary: 'Count requests from this day or time on (UTC, if it names no zone)',
    },
    {
      long: 'until',
      value: 'time',
      group: 'Selection',
      summary: 'Count requests up to the end of this day, or before this time',
    },
    { long: 'cost', summary: 'Add money, by the prices of endpoint files and etc/prices.yaml' },
    { long: 'long', short: 'l', summary: 'Full paths instead of short names' },
    { long: 'strict', summary: 'Exit 1 when there is any warning' },
    { long: 'no-cache', summary: 'Read every file again, and keep nothing of it' },
  ],
  details: [
    'Starting at the chats and jobs that are named, all that made them is found: jobs that a chat names, jobs and conversations of agents that it delegated to, what jobs depend on, and their logs. A job that is gone from the path that is written there is looked for where the project may have been moved to: in the store of the job that names it, in the var/jobs of the folders around the file that does, and below the folders of jobs; a warning says so. Every request to a model counts once, however many chats hold a copy of it. Nothing is run, fetched or changed.',
    "Without an option that names a view the tree is printed: for each node its kind, the tokens of everything that can be reached from it, and its name. A job is named by workflow, task and a short form of its own name, a chat by its path from what it belongs to. What was shown before is marked (seen). The log of a job's own conversation, and a chat that is its result, are part of the job. Views can be combined in one call; those for programs (--json, --ndjson, --csv) stand alone.",
    'The mark ≥ stands before a sum that is a lower bound: some request of it has unknown counts, its copies disagree, or a chat could not be read. A count that nothing is known about is ?, in JSON null; it is never 0.',
    'In a flow and in a picture arrows run with the data: from a dependency to the job that uses it, from a job to the chat that has its result (result, delegated_result), from a job or chat to the conversations it had (log); a picture leaves out those arrows that lead past one conversation to those that this one had. Jobs are boxes, chats are notes; what failed has a thick border and says so, as do tool calls that failed; a double border is several nodes in one. Where there are more nodes than --max-nodes, those that are alike are folded; without --max-nodes the middles of long chains are, too; the picture says how many nodes it does not show. A layout that takes too long is given up for a simpler one. Graphviz is built in, and so are fonts for most letters; for others the fonts of the machine are looked through.',
    '--cost counts money by the model that served a request: cached and written prompt tokens by their own prices. A price comes from the endpoint file (price: {input, output, cache_read, cache_write}, for a million tokens) when the endpoint serves that model, else from etc/prices.yaml on the search path: "models:" with the same keys for each model, and "date:" and "source:" for all or for one. What has no price is unpriced, never 0.',
    'The document of --json has "schema": "prov/1" and the keys tool, generated_at, root, options, nodes (kind, path, label, status, calls, hidden, direct, aggregate), edges (from, to, relation, first_visit, detail), events (inference_id, identity, deduplication, tokens, model, timestamp, conflict, incomplete_evidence, evidence), totals (deduplicated_total, chat_evidence, receipt_evidence, receipt_only) and warnings (reason, source, address, call_id, tool_name, message). Tokens are {pt, ct, tt, cct, cwt, rt}; an address is [path, message, key, entry]. With --cost there is cost besides, and one in each event. --ndjson has the same objects with a "type": prov, node, edge, event, warning, cost, totals. --by with --json prints another document, "schema": "prov-by/1", with groups and total; days are those of UTC.',
    'Warnings are printed last, on standard error. The exit status is 0 with warnings, 1 with --strict; 2 when nothing is there to report on.',
  ],
  examples: [
    { command: 'chat prov talk.chat', does: 'what it is made of, and its tokens' },
    {
      command: 'chat prov talk.chat -p talk.svg',
      does: 'the same as a picture with links to the files',
    },
    { command: 'chat prov Baker/bake/Default -f', does: 'the flow of data into a job' },
    {
      command: 'chat prov chats -e --strict',
      does: 'all evidence, exit 1 if anything is doubtful',
    },
    {
      command: 'chat prov ~/project --by model --cost --since 2026-11-01',
      does: 'what each model cost since that day',
    },
    { command: 'chat prov talk.chat --json | jq .totals', does: 'exact totals for a program' },
  ],
  seeAlso: ['chat-task-info(1)', 'chat-format(5)', 'chat-endpoints(5)'],
  async run(call, world) {
    const request = await requestOf(call);
    const { checkTarget } = await import('../src/config/target.ts');
    await checkTarget(call.text('dot'), '--dot', world.files);
    await checkTarget(call.text('plot'), '--plot', world.files);
    const { report } = await import('../src/prov/render/report.ts');
    return report(request, world, await versionOf(world));
  },
});

async function versionOf(world: World): Promise<string> {
  const { versionLine } = await import('../src/cli/version.ts');
  return (await versionLine(world)).trim().split(' ').at(-1) ?? '';
}
