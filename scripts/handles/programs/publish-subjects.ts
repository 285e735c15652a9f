import type { Subject } from '../../../bench/measure.js';
import { SocialPublishing } from '../../../src/index.js';
import { createPublisher } from '../../../src/publisher/create-publisher.js';
import type { DurableStore } from '../../../src/stores/store.js';

/** Writes with a driver alone: the least that three durable writes cost. */
export interface BareWrites {
  readonly insert: (key: string, data: string) => unknown;
  readonly update: (key: string, data: string) => unknown;
}

/** Compiles SQL with a driver. */
export type Prepare = (sql: string) => (...parameters: string[]) => unknown;

/** @param placeholders the first and the second parameter in the driver's SQL */
export async function sqlWrites(
  prepare: Prepare,
  [first, second]: readonly [string, string],
  table = 'bare',
): Promise<BareWrites> {
  await prepare(`DROP TABLE IF EXISTS ${table}`)();
  await prepare(`CREATE TABLE ${table} (key TEXT PRIMARY KEY, data TEXT)`)();
  const insert = prepare(`INSERT INTO ${table} VALUES (${first}, ${second})`);
  const update = prepare(`UPDATE ${table} SET data = ${first} WHERE key = ${second}`);
  return { insert: (key, data) => insert(key, data), update: (key, data) => update(data, key) };
}

const body = {
  content: 'Hello from the measurement. '.repeat(8),
  scheduledFor: '2031-03-01T09:00:00Z',
  platforms: [{ platform: 'bluesky' as const, accountId: 'int_1' }],
};

/** The names of the subjects, in the order of the table. `both` is a create, then three bare writes. */
export const subjectNames = ['create', 'writes', 'both', 'publish'] as const;

/** A create, a publish, and the three writes of a publish with the driver alone: two inserts, one update. */
export function publishSubjects(store: DurableStore, bare: BareWrites, baseUrl: string): readonly Subject[] {
  const client = new SocialPublishing({ baseUrl, accessKey: 'test-key' });
  const publisher = createPublisher({ client, store });
  const sending = JSON.stringify({ state: 'sending', body });
  const accepted = JSON.stringify({ state: 'accepted', body });
  const writes = async () => {
    const key = crypto.randomUUID();
    await bare.insert(key, sending);
    await bare.insert(`post/${key}`, '{}');
    await bare.update(key, accepted);
  };
  const create = () => client.posts.create(body);
  const runs: Record<(typeof subjectNames)[number], () => Promise<unknown>> = {
    create,
    writes,
    both: async () => {
      await create();
      await writes();
    },
    publish: () => publisher.publish(crypto.randomUUID(), body),
  };
  return subjectNames.map((name) => ({ name, run: runs[name] }));
}
