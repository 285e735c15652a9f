/** The choices of a history, as a short story. */
import type { Found } from './explore.js';

const verbs: readonly (readonly [RegExp, string])[] = [
  [/^(.+) writes (?:intent|scoped)\/(\S+) \(sending\)$/, '$1 marks $2'],
  [/^(.+) writes (?:intent|scoped)\/(\S+) \((.+)\)$/, '$1 records $2 as $3'],
  [/^(.+) writes post\/(?:\S+\/)?(\S+)$/, '$1 claims $2'],
  [/^(.+) writes inbox\/event\/(\S+) \((.+)\)$/, '$1 records $2 as $3'],
  [/^(.+) removes (?:intent|scoped)\/(\S+)$/, '$1 prunes $2'],
  [/^the service executes (.+) POST \/v1\/posts\/ \((.+)\)$/, 'the service executes the create of $1 ($2)'],
  [/^the service executes (.+) GET \/v1\/posts\/ \((.+)\)$/, '$1 reads the list ($2)'],
  [/^(.+) gets the reply of POST .*$/, '$1 gets the reply'],
  [/^! before (.+?) (.+): crash at a call$/, '$1 DIES before it calls $2'],
  [/^! (.+?) interrupts .+$/, '$1 RUNS FIRST'],
  [/^! (.+?): (.+)$/, '$1: $2 (FAULT)'],
];
const untold = /^.+ (?:gets the reply of GET|writes doubt\/|removes doubt\/|writes publisher\/)/;

/** Returns for example: "A marks key-0, A DIES before it calls POST /v1/posts/, B reads the list (200)". */
export function storyOf({ history }: Pick<Found, 'history'>): string {
  const lines = history.story.filter((line) => !untold.test(line));
  return lines
    .map((line) => {
      const [pattern, words] = verbs.find(([one]) => one.test(line)) ?? [];
      return pattern === undefined || words === undefined ? line : line.replace(pattern, words);
    })
    .join(', ');
}
