// A call of each tool of the reference server that has every kind of result.

import type { ModelCall } from './asking.ts';

export const EVERYTHING: readonly ModelCall[] = [
  { name: 'echo', arguments: { message: 'hi' } },
  { name: 'get-annotated-message', arguments: { messageType: 'error', includeImage: true } },
  { name: 'get-env' },
  { name: 'get-resource-links', arguments: { count: 2 } },
  { name: 'get-resource-reference', arguments: { resourceType: 'Text', resourceId: 1 } },
  { name: 'get-structured-content', arguments: { location: 'Chicago' } },
  { name: 'get-sum', arguments: { a: 2, b: 3 } },
  { name: 'get-tiny-image' },
  {
    name: 'gzip-file-as-resource',
    arguments: { name: 'n.gz', data: 'data:text/plain;base64,aGVsbG8=', outputType: 'resource' },
  },
  { name: 'simulate-research-query', arguments: { topic: 'snails' } },
  { name: 'toggle-simulated-logging' },
  { name: 'toggle-subscriber-updates' },
  { name: 'trigger-long-running-operation', arguments: { duration: 1, steps: 4 } },
];
