import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { hasSqlite, programWorld, type ProgramWorld } from '../../support/run-program.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const count = 30;

let folder: string;
let world: ProgramWorld;
let args: string[];

beforeEach(async () => {
  folder = temporaryFolder('steady-campaign');
  world = await programWorld();
  const { id } = world.service.seed.integration({ platform: 'bluesky', username: 'acme' });
  const file = join(folder, 'posts.txt');
  await writeFile(file, Array.from({ length: count }, (_, at) => `Post ${String(at)}\n`).join(''));
  args = [file, '--to', id, '--from', '2099-01-01T09:00:00Z', '--db', join(folder, 'db')];
});

const texts = () => world.service.posts.map(({ content }) => content);

describe.skipIf(!hasSqlite)('the steady campaign', () => {
  it('waits for a service that is down, survives a kill, and publishes nothing twice', async () => {
    const remove = world.service.faults.add({
      kind: 'outage',
      effect: 'unavailable_after_commit',
      route: 'POST /v1/posts/',
    });
    const lists = world.service.faults.add({ kind: 'outage', effect: 'unavailable', route: 'GET /v1/posts/' });
    const killed = world.start('steady-campaign', args);
    await killed.says('the service is down since');
    killed.child.kill('SIGKILL');
    await killed.ended;
    const sent = texts().length;
    expect(sent).toBeLessThanOrEqual(16);
    const running = world.start('steady-campaign', args);
    await running.says('the service is down since');
    remove();
    lists();
    await running.ended;
    // The posts of the first requests are found, so the last run has nothing to do.
    await expect.poll(async () => (await world.run('steady-campaign', args)).code, { timeout: 60_000 }).toBe(0);
    expect(texts().sort()).toEqual(Array.from({ length: count }, (_, at) => `Post ${String(at)}`).sort());
  });

  it('leaves the rest to the next run if its patience ends', async () => {
    const remove = world.service.faults.add({ kind: 'outage', effect: 'unavailable', route: 'POST /v1/posts/' });
    const { code, err } = await world.run('steady-campaign', [...args, '--patience', '0.02']);
    expect(code).toBe(2);
    expect(err).toMatch(/\d+ not sent yet: run it again\n\d+ in doubt: /);
    remove();
    const again = await world.run('steady-campaign', args);
    // An intent that was not executed stays in doubt until somebody decides.
    expect(again.code).toBe(2);
    expect(texts().length).toBeGreaterThanOrEqual(count - 17);
    expect(new Set(texts()).size).toBe(texts().length);
  });
});
