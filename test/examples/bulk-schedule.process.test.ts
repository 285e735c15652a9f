import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasSqlite, programWorld } from '../support/run-program.js';
import { temporaryFolder } from '../support/temporary-folder.js';

it.skipIf(!hasSqlite)('schedules each row once, also if a reply is lost and lists show new posts late', async () => {
  const folder = temporaryFolder('bulk-schedule');
  const world = await programWorld();
  const { id } = world.service.seed.integration({ platform: 'bluesky', username: 'acme' });
  const table = join(folder, 'campaign.csv');
  const row = (key: string) => `${key},Hello ${key},2099-01-01T09:00,Europe/Berlin,bluesky:${id}`;
  await writeFile(table, `key,content,time,zone,targets\n${[row('de'), row('fr')].join('\n')}\n`);
  world.service.faults.add({ kind: 'listing_lag', lagMs: 86_400_000 });
  world.service.faults.add({ kind: 'reset_after_commit', route: 'POST /v1/posts/', times: 1 });
  const run = () => world.run('../bulk-schedule/index', [table, join(folder, 'db')]);

  expect(await run()).toMatchObject({ code: 2, out: '1 of 2 rows are scheduled.\n' });
  expect(await run()).toMatchObject({ code: 2, out: '1 of 2 rows are scheduled.\n' });
  expect(world.service.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
  expect(world.service.posts).toHaveLength(2);
});
