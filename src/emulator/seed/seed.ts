import { nearestName } from '../../core/call/options.js';
import { formatIssues } from '../../core/errors.js';
import { describeIssues, nearestFieldHint } from '../../schema/issues.js';
import { safeParse } from '../../schema/check.js';
import { fieldNamesAt } from '../../schema/wire.js';
import type { Service } from '../handlers/handler.js';
import { seedDemo, type DemoSeed } from './demo/demo.js';
import { seedSchemas } from './seed-file.js';
import { createSingleSeeds, type SingleSeeds } from './singles.js';

/** Adds single items and returns each as the service would, or two weeks of data. */
export interface Seed extends SingleSeeds {
  /** Fills the emulator with two weeks of a small company, up to now. The same seed creates the same data. */
  demo(): DemoSeed;
}

export function createSeed(service: Service): Seed {
  const singles = createSingleSeeds(service);
  const seeds: Seed = { ...singles, demo: () => seedDemo(service, singles) };
  // Each seed keeps its own fields and reply, which the type of `fromEntries` cannot express.
  return Object.fromEntries(
    Object.entries(seeds).map(([kind, seed]) => [kind, told(service, kind, seed as AnySeed)]),
  ) as unknown as Seed;
}

type AnySeed = (fields?: unknown) => unknown;

function told({ store }: Service, kind: string, seed: AnySeed): AnySeed {
  return (fields) => {
    // Every other kind is one of the singles.
    if (kind !== 'demo') checkSeed(kind as keyof SingleSeeds, fields);
    // The state shares no object with its callers.
    const seeded = structuredClone(seed(structuredClone(fields)));
    store.changed('seed');
    return seeded;
  };
}

/**
 * Refuses a seed that no reply of the service could contain. Accepts undocumented fields, because the service may return
 * more, but not misspelt ones.
 */
function checkSeed(kind: keyof SingleSeeds, fields: unknown): void {
  const schema = seedSchemas[kind]();
  const result = safeParse(schema, fields);
  if (result.success) return;
  const hint = nearestFieldHint(schema);
  const issues = result.error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return issue;
    const known = fieldNamesAt(schema, issue.path);
    const keys = issue.keys.filter((name) => nearestName(name, known) !== undefined);
    return keys.length === 0 ? [] : { ...issue, keys };
  });
  if (issues.length > 0) throw new TypeError(`seed.${kind}: ${formatIssues(describeIssues(issues, hint))}`);
}
