/** Defects that random histories, the exploration or readers found. They are fixed: each is planted again. */
import type { Patch, PlantedBug } from '../planted.js';

export interface HistoricalBug extends PlantedBug {
  /** The file in `found` with a history that it breaks. */
  readonly history: string;
}

const publisher = 'src/publisher';

const withoutFurtherSearch: Patch = {
  file: `${publisher}/search/post-window.ts`,
  find: 'const isFar = record.looks % searchesPerDay === 1;',
  replace: 'const isFar = record.looks % searchesPerDay === -1;',
};

export const historicalBugs: readonly HistoricalBug[] = [
  {
    name: 'past: slow-mark',
    history: 'accepted-after-a-slow-mark',
    about: 'The window of an accepted post ignores that its mark was slow',
    file: `${publisher}/search/post-window.ts`,
    find: 'const sentUntil = postId === undefined ? sent.at : Math.max(sent.at, acceptedAt ?? 0);',
    replace: 'const sentUntil = sent.at;\n  void [postId, acceptedAt];',
    also: [
      // A later release searches further back once a day, which also finds the post.
      withoutFurtherSearch,
    ],
  },
  {
    name: 'past: candidates-forgotten',
    history: 'candidates-forgotten',
    about: 'A search that fails forgets the candidates of an earlier one',
    file: `${publisher}/intents/intent.ts`,
    find: "(search.readBack && result !== 'failed')",
    replace: "search.readBack || result === 'failed'",
  },
  {
    name: 'past: claim-of-a-former-life',
    history: 'claim-left-by-a-former-life',
    about: 'A claim belongs to its key, also after the key was pruned and published again',
    file: `${publisher}/search/claims.ts`,
    find: "if (claim.createdAt !== undefined && claim.createdAt !== record.createdAt) return 'gone';",
    replace: '',
    also: [
      {
        file: `${publisher}/search/claims.ts`,
        find: 'return claim.createdAt === undefined || claim.createdAt === createdAt;',
        replace: 'return createdAt > 0;',
      },
    ],
  },
  {
    name: 'past: local-time-of-the-first-search',
    history: 'first-search-without-service-time',
    about: "The first search's local time counts as the service's time",
    file: `${publisher}/intents/intent.ts`,
    find: 'return lookup?.isFirstLocal === true && serviceAt !== undefined ? undefined : lookup?.firstAt;',
    replace: 'return serviceAt === -1 ? undefined : lookup?.firstAt;',
    also: [
      {
        file: `${publisher}/search/post-window.ts`,
        find: 'const firstAt = lookup?.isFirstLocal === true ? undefined : lookup?.firstAt;',
        replace: 'const firstAt = lookup?.firstAt;',
      },
    ],
  },
  {
    name: 'past: wrong-date-of-an-accepted-post',
    history: 'wrong-date-of-an-accepted-post',
    about: 'The result of a post is searched for only at the time that a cached `Date` showed',
    ...withoutFurtherSearch,
  },
  {
    name: 'past: two-searches-at-once',
    history: 'two-searches-at-once',
    about: 'Two searches at the same time count twice, and skip the search that reads further',
    file: `${publisher}/intents/intent.ts`,
    find: 'Math.max(looks, searched.looks + 1)',
    replace: 'looks + 1',
  },
  {
    name: 'past: post-of-a-pruned-claim',
    history: 'post-of-a-pruned-claim',
    about: 'A post that a search claimed for a pruned intent proves nothing about a new intent under the key',
    file: `${publisher}/search/claims.ts`,
    find: "return standing === 'recorded' ? 'other' : 'undecided';",
    replace: "return standing === 'open' ? 'undecided' : 'other';",
  },
  {
    name: 'past: resend-long-after-its-search',
    history: 'resend-long-after-its-search',
    about: 'An intent that a search made ready is sent without another search, however long ago that was',
    file: `${publisher}/intents/intent.ts`,
    find: 'const isSearched = record.lookup !== undefined && Math.abs(at - record.updatedAt) <= leaseMs;',
    replace: 'const isSearched = record.lookup !== undefined && leaseMs > 0;',
  },
  {
    name: 'past: scan-after-a-far-clock',
    history: 'scan-after-a-far-clock',
    about: 'After a far clock was set right, the hourly scan waits until the wrong time',
    file: 'src/core/flow/retrying.ts',
    find: 'return now >= this.#next || this.#next > now + this.#ms;',
    replace: 'return now >= this.#next;',
  },
  {
    name: 'past: one-day-further',
    history: 'one-day-further',
    about: 'The result of a post is never searched for more than a day from the time that a cached `Date` showed',
    file: `${publisher}/search/post-window.ts`,
    find: 'const furtherMs = dayMs * 2 ** Math.min(Math.floor(record.looks / searchesPerDay), mostDoublings);',
    replace: 'const furtherMs = dayMs * mostDoublings ** 0;',
  },
  {
    name: 'past: time-of-a-decided-send',
    history: 'time-of-a-decided-send',
    about: 'If a clock that is ahead decides `not_sent`, the intent is sent before its time',
    file: `${publisher}/intents/intent.ts`,
    find: '...(isLate(record, serviceAt, maxLateMs) && { sendLate: true as const }),',
    replace: '...(isLate(record, serviceAt, maxLateMs) && { sendAheadMs: undefined }),',
  },
  {
    name: 'past: event-before-state',
    history: 'event-before-state',
    about: 'A receiver records an event as handled before its state, and ends: catchUp adds the state once more',
    file: 'src/webhooks/receive/event-claims.ts',
    find: 'of held.toReversed()) await',
    replace: 'of held) await',
  },
  {
    name: 'past: operator-names-another-post',
    history: 'operator-names-another-post',
    about:
      'A search records the post that an operator named for another intent as proved, if the process ended in `resolve`',
    file: `${publisher}/search/claims.ts`,
    find: 'return claim.unproved === true ? undefined : holder;',
    replace: 'return holder;',
  },
  {
    name: 'past: refusal-of-a-second-send',
    history: 'refusal-of-a-second-send',
    about: 'A refusal of a further send counts for the first one too: the intent is rejected, and has a post',
    file: `${publisher}/intents/intent.ts`,
    find: 'if (!mayBeSentBefore) return {',
    replace: 'if (!mayBeSentBefore || record.attempts > 0) return {',
  },
  {
    name: 'past: edit-after-a-far-clock',
    history: 'edit-after-a-far-clock',
    about: 'An edit keeps a `Retry-After` by a clock that was ahead: the intent is due when that clock says so',
    file: `${publisher}/intents/before-send.ts`,
    find: 'if (notBefore === undefined || isFromFuture(record, at)) return',
    replace: 'if (notBefore === undefined) return',
  },
];
