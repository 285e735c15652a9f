import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { targetOf } from '../../src/index.js';
import { browserForAll, visit } from './support/browser.js';
import { clientOf, serveWorld, start, type World } from './support/world.js';

const browser = browserForAll();
const hourMs = 3_600_000;
let world: World;

beforeEach(async () => {
  world = await serveWorld((service) => {
    service.seed.integration({ platform: 'bluesky', username: 'acme' });
    for (const username of ['acme.north', 'acme.south', 'acme.west'])
      service.seed.integration({ platform: 'facebook', username });
  });
});

afterEach(() => world.close());

async function accountsNamed(...names: readonly string[]) {
  const all = await clientOf(world).integrations.list().toArray();
  return names.flatMap((name) => all.filter(({ username }) => username === name).map(targetOf));
}

async function schedule(...names: readonly string[]): Promise<string> {
  const created = await clientOf(world).posts.create({
    content: 'The blue one',
    platforms: await accountsNamed(...names),
    scheduledFor: new Date(start + hourMs),
  });
  return created.postId;
}

const statesOf = (id: string) =>
  world.service.posts.find(({ postId }) => postId === id)?.platforms?.map(({ status }) => status);

/** The platforms and account IDs of the last request that created or edited a post. */
const lastTargets = () =>
  (world.service.requests.at(-1)?.body as { platforms: { accountId: string }[] }).platforms.map(
    ({ accountId }) => accountId,
  );

describe('a post with two accounts of one platform', () => {
  it('fails only the target that the user chose', async () => {
    const id = await schedule('acme', 'acme.north', 'acme.south');
    const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${id}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Fail this target: Facebook @acme.south' }).click();
    await dialog.getByRole('button', { name: 'Fail it' }).click();
    await dialog.getByRole('button', { name: 'Let it succeed: Facebook @acme.south' }).waitFor();
    await dialog.getByRole('button', { name: 'Fail this target: Facebook @acme.north' }).waitFor();
    await world.service.clock.advance({ hours: 2 });
    expect(statesOf(id)).toEqual(['published', 'published', 'failed']);
    await leave();
  });

  it('fails the right target after an edit exchanged the accounts', async () => {
    const id = await schedule('acme', 'acme.north', 'acme.south');
    const platforms = await accountsNamed('acme', 'acme.west', 'acme.north');
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one documented way to edit a post
    await clientOf(world).posts.updateScheduled(id, { content: 'The blue one', platforms });
    const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${id}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Fail this target: Facebook @acme.north' }).click();
    await dialog.getByRole('button', { name: 'Fail it' }).click();
    await dialog.getByRole('button', { name: 'Let it succeed: Facebook @acme.north' }).waitFor();
    await dialog.getByRole('button', { name: 'Fail this target: Facebook @acme.west' }).waitFor();
    await world.service.clock.advance({ hours: 2 });
    expect(statesOf(id)).toEqual(['published', 'published', 'failed']);
    await leave();
  });

  it('says that all targets of the platform fail if their accounts are not known', async () => {
    const platforms = await accountsNamed('acme.north', 'acme.south');
    const { postId } = world.service.seed.post({
      content: 'Seeded',
      status: 'scheduled',
      scheduledFor: new Date(start + hourMs).toISOString(),
      platforms: platforms.map(({ accountId }) => ({ platform: 'facebook', accountId })),
    });
    const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${postId}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Fail all Facebook targets' }).first().click();
    await dialog.getByRole('button', { name: 'Fail it' }).click();
    await dialog.getByText('All Facebook targets will fail when the post is published.').waitFor();
    await world.service.clock.advance({ hours: 2 });
    expect(statesOf(postId)).toEqual(['failed', 'failed']);

    await dialog.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByText('2 targets could not be copied. Choose them.').waitFor();
    await leave();
  });

  it('keeps every target in a duplicate and in an edit', async () => {
    const id = await schedule('acme', 'acme.north', 'acme.south');
    const all = (await accountsNamed('acme', 'acme.north', 'acme.south')).map(({ accountId }) => accountId).sort();
    const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${id}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(lastTargets().sort()).toEqual(all);

    await page.goto(`${world.url}#/posts?compose=any&from=${id}`);
    await dialog.getByRole('button', { name: 'Schedule' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(world.service.posts).toHaveLength(2);
    expect(lastTargets().sort()).toEqual(all);
    await leave();
  });
});
