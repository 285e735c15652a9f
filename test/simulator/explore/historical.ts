/** Defects that random histories, or the exploration, found. They are fixed: each is planted again. */
import type { PlantedBug } from '../planted.js';

const publisher = 'src/publisher';

export const historicalBugs: readonly PlantedBug[] = [
  {
    name: 'past: slow-mark',
    about: 'The window of an accepted post ignores that its mark was slow',
    patches: [
      {
        file: `${publisher}/search/post-window.ts`,
        find: 'const sentUntil = postId === undefined ? sent.at : Math.max(sent.at, acceptedAt ?? 0);',
        replace: 'const sentUntil = sent.at;\n  void [postId, acceptedAt];',
      },
    ],
  },
  {
    name: 'past: candidates-forgotten',
    about: 'A search that fails forgets the candidates of an earlier one',
    patches: [
      {
        file: `${publisher}/intents/intent.ts`,
        find: "(result === 'failed' || (result === 'no_match' && !readBack))",
        replace: "result === 'no_match' && !readBack",
      },
    ],
  },
  {
    name: 'past: claim-of-a-former-life',
    about: 'A claim belongs to its key, also after the key was pruned and published again',
    patches: [
      {
        file: `${publisher}/search/claims.ts`,
        find: "if (claim.createdAt !== undefined && claim.createdAt !== record.createdAt) return 'gone';",
        replace: '',
      },
      {
        file: `${publisher}/search/claims.ts`,
        find: 'return claim.createdAt === undefined || claim.createdAt === createdAt;',
        replace: 'return createdAt > 0;',
      },
    ],
  },
  {
    name: 'past: named-for-a-pruned-intent',
    about: 'A post that an operator named for a pruned intent counts as proved',
    patches: [
      {
        file: `${publisher}/create-publisher.ts`,
        find: 'await worker.retire(known, resolution, { isUnproved: true });',
        replace: 'await worker.retire(known, resolution);',
      },
    ],
  },
  {
    name: 'past: claim-of-an-intent-with-another-post',
    about: 'A search claims a second post for an intent, which frees it for an equal intent',
    patches: [
      {
        file: `${publisher}/search/claims.ts`,
        find: "const isVoid = (await this.#standing(mine, postId)) === 'void';",
        replace: 'const isVoid = false;',
      },
    ],
  },
  {
    name: 'past: local-time-of-the-first-search',
    about: "The first search's local time counts as the service's time",
    patches: [
      {
        file: `${publisher}/intents/intent.ts`,
        find: 'return lookup?.isFirstLocal === true && serviceAt !== undefined ? undefined : lookup?.firstAt;',
        replace: 'return serviceAt === -1 ? undefined : lookup?.firstAt;',
      },
      {
        file: `${publisher}/intents/intent.ts`,
        find: 'if (lookup !== undefined && lookup.isFirstLocal !== true) return { firstAt: lookup.firstAt };',
        replace: 'if (lookup !== undefined) return { firstAt: lookup.firstAt };',
      },
    ],
  },
  {
    name: 'past: claim-of-an-abandoned-intent',
    about: 'An intent that was abandoned during a search keeps the claim of its post',
    patches: [
      {
        file: `${publisher}/search/claims.ts`,
        find: "return record.state === 'abandoned' ? 'gone' : 'open';",
        replace: "return 'open';",
      },
      {
        file: `${publisher}/intent-worker.ts`,
        find: "['abandoned', 'rejected'].includes(current.state)",
        replace: "current.key === ''",
      },
    ],
  },
  {
    name: 'past: wrong-date-of-an-accepted-post',
    about: 'The result of a post is searched for only at the time that a cached `Date` showed',
    patches: [
      {
        file: `${publisher}/search/post-window.ts`,
        find: 'const isFar = record.looks % searchesPerDay === 1;',
        replace: 'const isFar = record.looks % searchesPerDay === -1;',
      },
    ],
  },
  {
    name: 'past: two-searches-at-once',
    about: 'Two searches at the same time count twice, and skip the search that reads further',
    patches: [
      {
        file: `${publisher}/intents/intent.ts`,
        find: 'Math.max(found.looks, (search.looks ?? found.looks) + 1)',
        replace: 'found.looks + 1',
      },
    ],
  },
];
