import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserForAll, visit } from './support/browser.js';
import { tabTo } from './support/keyboard.js';
import { schedulePost, serveWorld, start, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
const hourMs = 3_600_000;
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

const schedule = (content: string, at?: number) => schedulePost(world, content, at);

/** The button of a post in the month. */
const chip = (page: Page, name: RegExp) => page.getByRole('cell').getByRole('button', { name });

describe('the notice of a move', () => {
  it('names the post by its first words, and only the latest move offers Undo', async () => {
    await schedule('The blue one is back in all shops of the town');
    await schedule('The red one', start + 2 * hourMs);
    const { page, leave } = await visit(browser(), world.url);
    await tabTo(page, /^10 Mar 2027, 11:00.*The blue one/);
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByText('“The blue one is back in all shops of the…” moved to 11 Mar 2027, 11:00.').waitFor();
    await chip(page, /The red one/).focus();
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByText('“The red one” moved to 11 Mar 2027, 12:00.').waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(1);
    await leave();
  });

  it('disappears when the state is replaced, by the page or by another program', async () => {
    await schedule('The blue one');
    const { page, leave } = await visit(browser(), world.url);
    const undo = page.getByRole('button', { name: 'Undo' });
    const saved = world.service.snapshot();
    const move = async () => {
      await chip(page, /The blue one/).focus();
      await page.keyboard.press('Shift+ArrowRight');
      await undo.waitFor();
    };
    await move();
    world.service.restore(saved);
    await undo.waitFor({ state: 'detached', timeout: 5_000 });
    await page
      .getByRole('cell')
      .filter({ has: page.getByRole('button', { name: /^Wednesday,? 10 March/ }) })
      .getByRole('button', { name: /The blue one/ })
      .waitFor();
    await move();
    await page.getByRole('button', { name: 'Emulator state' }).click();
    await page.getByRole('button', { name: 'Remove everything' }).click();
    await page.getByRole('button', { name: 'Confirm the removal' }).click();
    await page.getByText('The emulator is empty.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await undo.count()).toBe(0);
    await leave();
  });

  it('offers no Undo after the post was published, and says why', async () => {
    await schedule('The blue one');
    const { page, leave } = await visit(browser(), world.url);
    await tabTo(page, /^10 Mar 2027, 11:00.*The blue one/);
    await page.keyboard.press('Shift+ArrowRight');
    const undo = page.getByRole('button', { name: 'Undo' });
    await undo.waitFor();
    await world.service.clock.advance({ days: 2 });
    await page
      .locator('.notice')
      .filter({ hasText: 'The post is partial now, so you can no longer undo the move.' })
      .waitFor();
    expect(await undo.count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('undo');
    await page.getByText('Nothing found. Try another word.').waitFor();
    await leave();
  });

  it.each([
    [1440, 900],
    [1024, 768],
  ])('at %d × %d leaves the view its height: it is below the navigation', async (width, height) => {
    await schedule('The blue one');
    const { page, leave } = await visit(browser(), world.url, { viewport: { width, height } });
    const viewHeight = () => page.locator('main').evaluate((main) => main.clientHeight);
    await chip(page, /The blue one/).waitFor();
    const before = await viewHeight();
    await chip(page, /The blue one/).focus();
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    expect(await viewHeight()).toBe(before);
    const [notice, tool] = await Promise.all([
      page.locator('.notice').boundingBox(),
      page.getByRole('button', { name: 'New post', exact: true }).boundingBox(),
    ]);
    expect((notice?.x ?? width) + (notice?.width ?? width)).toBeLessThan(tool?.x ?? 0);
    await leave();
  });

  it('at 320 × 256, which is 400 % zoom, takes less than a third of the page', async () => {
    await schedule('The blue one is back in all shops of the town');
    const { page, leave } = await visit(browser(), `${world.url}#/accounts`, { viewport: { width: 320, height: 256 } });
    await page.getByRole('button', { name: /^Expire token: Facebook/ }).click();
    await page.getByText(/1 scheduled post will fail on it\.$/).waitFor();
    expect((await page.locator('.notices').boundingBox())?.height).toBeLessThan(256 / 3);
    await leave();
  });

  it('is not shown in a dialog that opens later', async () => {
    await schedule('The blue one');
    const { page, leave } = await visit(browser(), world.url);
    await tabTo(page, /^10 Mar 2027, 11:00.*The blue one/);
    await page.keyboard.press('Shift+ArrowRight');
    const moved = page.getByText('“The blue one” moved to');
    await moved.waitFor();
    await page.getByRole('button', { name: 'New post', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    expect(await moved.count()).toBe(0);
    await page.keyboard.press('Escape');
    await moved.waitFor();
    await chip(page, /The blue one/).click();
    const form = page.getByRole('form', { name: 'Reschedule the post' });
    await form.getByLabel('Time').fill('2027-03-15T08:30');
    await form.getByRole('button', { name: 'Reschedule' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('“The blue one” moved to 15 Mar 2027, 08:30.').waitFor();
    await dialog.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog', { name: 'Edit the scheduled post' }).waitFor();
    expect(await dialog.locator('.notice').count()).toBe(0);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('“The blue one” moved to 15 Mar 2027, 08:30.').waitFor();
    await leave();
  });
});

it('a dialog announces only what happens while it is open', async () => {
  await schedule('The blue one');
  const { page, leave } = await visit(browser(), world.url);
  const announced = page.locator('p[aria-live=polite]');
  await chip(page, /The blue one/).waitFor();
  await world.service.clock.advance({ hours: 2 });
  await announced.filter({ hasText: 'Post partial: The blue one' }).waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'New post', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await expect.poll(() => dialog.locator(announced).textContent()).toBe('');
  await schedule('The red one', start + 3 * hourMs);
  await world.service.clock.advance({ hours: 2 });
  await dialog.locator(announced).filter({ hasText: 'Post partial: The red one' }).waitFor({ state: 'attached' });
  await leave();
});

describe('the notice of a new post', () => {
  it('reports the error of each failed target, and opens the post', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('button', { name: 'New post', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'New post' });
    const publish = async (...names: readonly string[]) => {
      await dialog.getByLabel('Content').fill('The blue one');
      await dialog.getByLabel('Now').check();
      for (const name of names) await dialog.getByLabel(name).check();
      await dialog.getByRole('button', { name: 'Publish now' }).click();
    };
    await publish('acme.tiktok');
    const failed = page.locator('.notice-bad').filter({ hasText: 'The post failed. TikTok: The video is missing' });
    await failed.getByRole('button', { name: 'Open' }).click();
    await page
      .getByRole('dialog', { name: /^Post / })
      .getByText('The video is missing', { exact: true })
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New post', exact: true }).click();
    await publish('acme.facebook', 'acme.tiktok');
    await page
      .locator('.notice-bad')
      .filter({ hasText: 'The post is published only in part. TikTok: The video is missing' })
      .waitFor();
    // An error of several targets is named once.
    world.service.publishing.outcome({ error: 'Down' });
    await page.getByRole('button', { name: 'New post', exact: true }).click();
    await publish('acme.facebook', 'acme.instagram');
    await page
      .locator('.notice-bad')
      .filter({ hasText: /The post failed\. (Facebook, Instagram|Instagram, Facebook): Down/ })
      .waitFor();
    await leave();
  });
});
