import { isFields } from '../../core/json.js';
import { formatIssues } from '../../core/errors.js';
import { optional, optionIssues, optionsOf } from '../../core/options.js';
import { describeIssues, nearestFieldHint } from '../../schema/issues.js';
import { safeParse } from '../../schema/check.js';
import type { SingleSeeds } from './singles.js';
import { seedSchemas } from './seed-schemas.js';

/**
 * The contents of a seed file: many seeds of each kind, each with the arguments of `seed.integration` and the other
 * methods.
 */
export type SeedFile = {
  readonly [Plural in keyof typeof kindOf]?: readonly Parameters<SingleSeeds[(typeof kindOf)[Plural]]>[0][];
};

/** The names in a file, in seeding order: referenced kinds come first. */
const kindOf = {
  integrations: 'integration',
  subscriptions: 'subscription',
  selections: 'selection',
  posts: 'post',
  comments: 'comment',
  conversations: 'conversation',
  messages: 'message',
  eligiblePosts: 'eligiblePost',
  automations: 'automation',
  automationLogs: 'automationLog',
  metrics: 'metrics',
} as const satisfies Readonly<Record<string, keyof SingleSeeds>>;

const isArray = optional('an array', Array.isArray);
const seedFile = optionsOf(
  'a part of a seed file',
  Object.fromEntries(Object.keys(kindOf).map((name) => [name, isArray])),
);

/** Seeds everything in a file. Returns the problems, each with its path: `posts[1]: ...`. */
export function seedAll(seeds: SingleSeeds, file: unknown): string[] {
  if (!isFields(file)) return [`must be an object with ${Object.keys(kindOf).join(', ')}`];
  const problems = optionIssues(seedFile, file).map(({ message }) => message);
  for (const [plural, kind] of Object.entries(kindOf)) {
    const entries: unknown = file[plural];
    if (Array.isArray(entries)) for (const problem of seedEach(seeds, plural, kind, entries)) problems.push(problem);
  }
  return problems;
}

/** A wrong field in a file of 10,000 posts would fill hundreds of screens. */
const mostListed = 10;

/** Writes problems in one text, at most `mostListed` of them. */
export function listProblems(problems: readonly string[]): string {
  const listed = problems.slice(0, mostListed);
  const others = problems.length - listed.length;
  return [...listed, ...(others > 0 ? [`${String(others)} more problems`] : [])].join('; ');
}

type AnySeeds = Readonly<Record<string, (fields: object) => unknown>>;

function seedEach(seeds: SingleSeeds, plural: string, kind: keyof SingleSeeds, entries: readonly unknown[]): string[] {
  // The schema of its kind has checked each entry; the seed itself checks the rest.
  const seed = (fields: object): unknown => (seeds as unknown as AnySeeds)[kind]?.(fields);
  return entries.flatMap((entry, index) => {
    const place = `${plural}[${String(index)}]`;
    const schema = seedSchemas[kind]();
    const result = safeParse(schema, entry);
    if (!result.success)
      return [`${place}: ${formatIssues(describeIssues(result.error.issues, nearestFieldHint(schema)))}`];
    try {
      seed(result.data);
      return [];
    } catch (error) {
      return [`${place}: ${error instanceof Error ? error.message : String(error)}`];
    }
  });
}
