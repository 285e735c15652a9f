import { afterEach, beforeEach, expect, it } from 'vitest';
import { browserForAll, visit } from './support/browser.js';
import { serveWorld, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

it('a new post shows what preflight finds, in its words, and sends nothing', async () => {
  const broken = world.service.seed.integration({ platform: 'threads', username: 'acme.threads' });
  world.service.accounts.expire(broken.id);
  const { page, leave } = await visit(browser(), `${world.url}#/posts?compose=any`);
  const dialog = page.getByRole('dialog', { name: 'New post' });
  await dialog.getByLabel('Content').fill('Hello');
  await dialog.getByLabel('acme.threads').check();
  await dialog.getByRole('button', { name: 'Check the post' }).click();
  await dialog.getByText(`error reconnect_required: The account ${broken.id} needs a new login`).waitFor();
  await dialog.getByLabel('acme.threads').uncheck();
  await dialog.getByRole('group', { name: 'Accounts' }).getByRole('checkbox').first().check();
  await dialog.getByRole('button', { name: 'Check the post' }).click();
  await dialog.getByText('reconnect_required').waitFor({ state: 'detached' });
  expect(world.service.posts).toEqual([]);
  await leave();
});
