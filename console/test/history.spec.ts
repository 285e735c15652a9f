import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserForAll, open, visit, type Visit } from './support/browser.js';
import { schedulePost, serveWorld, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;
let visited: Visit;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
  await schedulePost(world, 'The blue one');
  visited = await visit(browser(), `${world.url}#/accounts`);
  await open(visited.page, 'Posts');
});

afterEach(() => world.close());

const hashOf = (page: Page) => new URL(page.url()).hash;
const dialogOf = (page: Page) => page.getByRole('dialog');

async function openPost(page: Page): Promise<void> {
  await page.getByRole('button', { name: /The blue one/ }).click();
  await page.getByRole('dialog', { name: /^Post / }).waitFor();
}

async function escape(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await dialogOf(page).waitFor({ state: 'detached' });
}

/** Expects that one Back leaves the view for the view before it. */
async function expectBackToAccounts(page: Page): Promise<void> {
  await expect.poll(() => hashOf(page)).toBe('#/posts');
  await page.goBack();
  await expect.poll(() => hashOf(page)).toBe('#/accounts');
  await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
  expect(await dialogOf(page).count()).toBe(0);
  await visited.leave();
}

describe('the Back button', () => {
  it('leaves the view after a dialog was closed with Escape, also the second time', async () => {
    const { page } = visited;
    await openPost(page);
    await escape(page);
    await openPost(page);
    await escape(page);
    await expectBackToAccounts(page);
  });

  it('closes the open dialog, then leaves the view', async () => {
    const { page } = visited;
    await openPost(page);
    await page.goBack();
    await dialogOf(page).waitFor({ state: 'detached' });
    await expectBackToAccounts(page);
  });

  it('leaves the view after a dialog took the place of another one', async () => {
    const { page } = visited;
    await openPost(page);
    await dialogOf(page).getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog', { name: 'Edit the scheduled post' }).waitFor();
    await escape(page);
    await expectBackToAccounts(page);
  });

  it('leaves the view after a reload with an open dialog', async () => {
    const { page } = visited;
    await openPost(page);
    await page.reload();
    await page.getByRole('dialog', { name: /^Post / }).waitFor();
    await escape(page);
    await expectBackToAccounts(page);
  });

  it('leads through views that Ctrl+K opened', async () => {
    const { page } = visited;
    await page.keyboard.press('Control+k');
    await page.keyboard.type('go to faults');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Faults' }).waitFor();
    await expect.poll(() => hashOf(page)).toBe('#/faults');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Posts' }).waitFor();
    await expectBackToAccounts(page);
  });
});

describe('a dialog that opens at once after another one', () => {
  it('stays open: by a key after Escape', async () => {
    const { page } = visited;
    await openPost(page);
    // Both keys arrive before the browser goes back.
    await page.evaluate(() => {
      const dialog = document.querySelector('dialog');
      dialog?.addEventListener('close', () => {
        setTimeout(() => dispatchEvent(new KeyboardEvent('keydown', { key: 'n' })));
      });
      dialog?.close();
    });
    await page.getByRole('dialog', { name: 'New post' }).waitFor();
    await expect.poll(() => hashOf(page)).toBe('#/posts?compose=any');
    await page.waitForTimeout(300);
    expect(await page.getByRole('dialog', { name: 'New post' }).count()).toBe(1);
    await escape(page);
    await expectBackToAccounts(page);
  });

  it('stays open: by a command of Ctrl+K', async () => {
    const { page } = visited;
    await page.keyboard.press('Control+k');
    await page.keyboard.type('new post');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'New post' }).waitFor();
    await expect.poll(() => hashOf(page)).toBe('#/posts?compose=any');
    await page.waitForTimeout(300);
    expect(await page.getByRole('dialog', { name: 'New post' }).count()).toBe(1);
    await escape(page);
    await expectBackToAccounts(page);
  });
});

it('a dialog whose address was opened closes with Escape', async () => {
  const { page, leave } = await visit(browser(), `${world.url}#/posts?tool=clock`);
  await dialogOf(page).waitFor();
  await escape(page);
  await expect.poll(() => hashOf(page)).toBe('#/posts');
  await open(page, 'Faults');
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Posts' }).waitFor();
  expect(await dialogOf(page).count()).toBe(0);
  await leave();
  await visited.leave();
});
