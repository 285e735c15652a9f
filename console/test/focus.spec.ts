import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserForAll, visit } from './support/browser.js';
import { focused } from './support/keyboard.js';
import { schedulePost, serveWorld, start, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
  await schedulePost(world, 'The blue one');
});

afterEach(() => world.close());

describe('the focus', () => {
  it('moves to the heading of the dialog if the button for the time of the post disappears', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts?post=post_1`);
    const button = page.getByRole('button', { name: 'Move the clock to its time' });
    await button.focus();
    await page.keyboard.press('Enter');
    await button.waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe('Post post_1');
    await leave();
  });

  it('moves to the next notice after Dismiss, then back to where it was', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/accounts`);
    await page.getByRole('button', { name: /^Expire token: Facebook/ }).click();
    await page.getByRole('button', { name: /^Expire token: TikTok/ }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Dismiss' }).count()).toBe(2);
    await page.getByRole('button', { name: 'Search' }).focus();
    await page.getByRole('button', { name: 'Dismiss' }).first().click();
    await expect.poll(() => focused(page)).toBe('Dismiss');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Dismiss' }).waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toMatch(/^Search/);
    await leave();
  });

  it('does not leave the page after Undo', async () => {
    const { page, leave } = await visit(browser(), world.url);
    const chip = page.getByRole('button', { name: /The blue one/ }).first();
    await chip.focus();
    await page.keyboard.press('Shift+ArrowRight');
    const undo = page.getByRole('button', { name: 'Undo' });
    await undo.waitFor();
    await undo.focus();
    await page.keyboard.press('Enter');
    await undo.waitFor({ state: 'detached' });
    await expect.poll(() => Date.parse(world.service.posts[0]?.scheduledFor ?? '')).toBe(start + 3_600_000);
    await page.waitForTimeout(500);
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(false);
    await leave();
  });
});
