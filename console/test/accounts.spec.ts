import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { targetOf } from '../../src/index.js';
import { browserForAll, visit } from './support/browser.js';
import { focused, tabTo } from './support/keyboard.js';
import { clientOf, schedulePost, serveWorld, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

describe('the accounts of a new post', () => {
  it('are all selected, and none, by a button with a name of its own, by mouse and by keyboard', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts?compose=any`);
    const accounts = page.getByRole('group', { name: 'Accounts' });
    const boxes = accounts.getByRole('checkbox');
    const chosen = () => boxes.evaluateAll((all) => all.filter((box) => (box as HTMLInputElement).checked).length);
    await accounts.getByText('0 of 3 selected').waitFor();
    await accounts.getByRole('button', { name: 'Select all accounts' }).click();
    expect(await chosen()).toBe(3);
    await accounts.getByText('3 of 3 selected').waitFor();
    await boxes.first().uncheck();
    await accounts.getByText('2 of 3 selected').waitFor();
    await page.getByLabel('Content').fill('To everyone');
    await tabTo(page, /^Select none/);
    await page.keyboard.press('Enter');
    expect(await chosen()).toBe(0);
    await expect.poll(() => focused(page)).toBe('Select none of the accounts');
    await page.keyboard.press('Shift+Tab');
    await expect.poll(() => focused(page)).toBe('Select all accounts');
    await page.keyboard.press('Space');
    expect(await chosen()).toBe(3);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(world.service.posts[0]?.platforms).toHaveLength(3);
    await leave();
  });
});

describe('a target of a post', () => {
  it('links to its account, which gets the focus, and Back leads to the post', async () => {
    const id = await schedulePost(world, 'The blue one');
    const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${id}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('link', { name: '@acme.facebook' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toMatch(/^@acme\.facebook\b/);
    const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: '@acme.facebook' }) });
    expect(await card.getAttribute('aria-current')).toBe('true');
    await page.goBack();
    await dialog.getByRole('heading', { name: `Post ${id}` }).waitFor();
    await leave();
  });

  it('whose account is far down the list links to a card in sight', async () => {
    for (let index = 0; index < 30; index += 1)
      world.service.seed.integration({ platform: 'bluesky', username: `bluesky.${index}` });
    const all = await clientOf(world).integrations.list({ platform: 'bluesky' }).toArray();
    const last = all.slice(-1);
    const { postId } = await clientOf(world).posts.create({
      content: 'To one account',
      platforms: last.map(targetOf),
      publishNow: true,
    });
    const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${postId}`);
    const name = `@${last[0]?.username ?? ''}`;
    await page.getByRole('dialog').getByRole('link', { name }).click();
    await expect.poll(() => focused(page)).toContain(name);
    const box = await page.getByRole('heading', { name: new RegExp(`^${name}\\W`) }).boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(900);
    await leave();
  });
});
