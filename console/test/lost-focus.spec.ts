import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { targetOf } from '../../src/index.js';
import { browserForAll, open, visit } from './support/browser.js';
import { focused } from './support/keyboard.js';
import { clientOf, schedulePost, serveWorld, start, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

const isLost = (page: Page) =>
  page.evaluate(() => document.activeElement === document.body || document.activeElement === null);

describe('the focus, when its element disappears,', () => {
  it('moves to the Tab stop of the list if a filter removes the row', async () => {
    await schedulePost(world, 'The first', start + 3_600_000);
    await schedulePost(world, 'The second', start + 7_200_000);
    const { page, leave } = await visit(browser(), `${world.url}#/posts?status=scheduled`);
    await page.getByRole('button', { name: /The first/ }).focus();
    await world.service.clock.advance({ hours: 1.5 });
    await page.getByText('1 of 2 posts').waitFor();
    await expect.poll(() => focused(page)).toMatch(/The second/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    // The row behind the dialog disappears too.
    await world.service.clock.advance({ hours: 1 });
    await page.getByText('No match in 2 posts').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('Search');
    await leave();
  });

  it('stays in a long list whose focused row is scrolled away', async () => {
    for (let index = 0; index < 200; index += 1) world.service.seed.post({ content: `Post ${index}`, status: 'draft' });
    const { page, leave } = await visit(browser(), `${world.url}#/posts`);
    const list = page.getByRole('list', { name: 'Posts' });
    await list.getByRole('button').first().focus();
    await page.locator('.virtual').evaluate((element) => {
      element.scrollTop = 4_000;
    });
    await expect.poll(() => focused(page)).toMatch(/^no time Post 1[01]\d/);
    await page.keyboard.press('ArrowDown');
    expect(await isLost(page)).toBe(false);
    await leave();
  });

  it('moves to the next entry after a removal, then to the title of the section, where the next key changes nothing', async () => {
    world.service.faults.add({ kind: 'timeout' });
    world.service.faults.add({ kind: 'latency', latencyMs: 10 });
    world.service.faults.add({ kind: 'truncated_body' });
    const { page, leave } = await visit(browser(), `${world.url}#/faults`);
    const remove = page.getByRole('button', { name: /^Remove the rule/ });
    await remove.nth(1).focus();
    for (const [left, next] of [
      [2, 'Remove the rule: Reply cut off'],
      [1, 'Remove the rule: No reply'],
      [0, 'Requests'],
    ] as const) {
      await page.keyboard.press('Enter');
      await expect.poll(() => focused(page)).toMatch(/^Confirm/);
      await page.keyboard.press('Enter');
      await expect.poll(() => remove.count()).toBe(left);
      await expect.poll(() => focused(page)).toBe(next);
    }
    await leave();
  });

  it('moves to another card, then to the filter, if accounts are connected again in a filtered list', async () => {
    for (const { id } of (await clientOf(world).integrations.list().toArray()).slice(0, 2))
      world.service.accounts.expire(id);
    const { page, leave } = await visit(browser(), `${world.url}#/accounts?outcome=failed`);
    await page
      .getByRole('button', { name: /^Reconnect/ })
      .first()
      .focus();
    await page.keyboard.press('Enter');
    await page.getByText('1 of 3 accounts').waitFor();
    await expect.poll(() => focused(page)).toMatch(/^Reconnect/);
    await page.keyboard.press('Enter');
    await page.getByText('No match in 3 accounts').waitFor();
    await expect.poll(() => focused(page)).toBe('Connection');
    await leave();
  });

  it('moves to the filter or the heading if a list becomes empty', async () => {
    await clientOf(world).posts.list();
    const { page, leave } = await visit(browser(), `${world.url}#/requests`);
    await page
      .getByRole('list', { name: /^Requests/ })
      .getByRole('button')
      .first()
      .focus();
    await page.evaluate(() => fetch('./_emulator/requests', { method: 'DELETE' }));
    await page.getByText('No requests yet').waitFor();
    await expect.poll(() => focused(page)).toBe('Requests');
    await open(page, 'Posts');
    expect(await isLost(page)).toBe(false);
    await leave();
  });

  it('moves to the heading of a dialog if the element was in the dialog', async () => {
    const platforms = (await clientOf(world).integrations.list({ platform: 'facebook' }).toArray()).map(targetOf);
    const { postId } = await clientOf(world).posts.create({
      content: 'The blue one',
      platforms,
      scheduledFor: new Date(start + 3_600_000),
    });
    const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${postId}`);
    await page.getByRole('dialog').getByRole('button', { name: 'Edit', exact: true }).focus();
    await world.service.clock.advance({ hours: 2 });
    await expect.poll(() => focused(page)).toBe(`Post ${postId}`);
    await leave();
  });

  it('stays away if the user clicked beside all elements', async () => {
    const id = await schedulePost(world, 'The first');
    const { page, leave } = await visit(browser(), `${world.url}#/posts?status=scheduled`);
    await page.getByRole('button', { name: /The first/ }).focus();
    await page.getByRole('heading', { name: 'Posts' }).click();
    await page.locator('.about').click();
    await world.service.clock.advance({ hours: 2 });
    await page.getByText('No match in 1 post.').waitFor();
    expect(world.service.posts[0]?.postId).toBe(id);
    await page.waitForTimeout(300);
    expect(await focused(page)).not.toBe('Search');
    await leave();
  });
});
