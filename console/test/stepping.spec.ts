import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { targetOf } from '../../src/index.js';
import { browserForAll, desktop, open, phone, visit } from './support/browser.js';
import { clientOf, schedulePost, serveWorld, start, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

describe('a step of the clock', () => {
  it('says what happened, what is due next, and leads there', async () => {
    // Nothing listens there, so a delivery is tried again later.
    world.service.seed.subscription({ webhook: { url: 'http://127.0.0.1:9/' }, eventTypes: ['post.partial'] });
    const postId = await schedulePost(world, 'The blue one');
    const { page, leave } = await visit(browser(), `${world.url}#/accounts`);
    const notice = page.locator('.notice');
    const step = async (words: RegExp) => {
      await page.getByRole('button', { name: /^Step/ }).click();
      await notice.filter({ hasText: words }).waitFor();
      await expect.poll(() => notice.count()).toBe(1);
      expect(await notice.getAttribute('class')).toContain('notice-bad');
    };
    await step(/“The blue one” is partial\. Failed: TikTok\. Next, [\d:]+: deliver post\.partial\./);
    await notice.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('dialog', { name: `Post ${postId}` }).waitFor();
    await page.keyboard.press('Escape');
    await step(/post\.partial of “The blue one”: .*\. Next, .*: deliver post\.partial/);
    await step(/post\.partial of “The blue one”: .*\. Nothing else is due\./);
    await notice.getByRole('button', { name: 'Show' }).click();
    await page
      .getByRole('region', { name: /^Event / })
      .getByRole('heading', { name: /^post\.partial/ })
      .waitFor();
    await leave();
  });

  it('counts all posts of the same time, and leads to the one with a problem', async () => {
    const platforms = (await clientOf(world).integrations.list({ platform: 'facebook' }).toArray()).map(targetOf);
    const scheduledFor = new Date(start + 3_600_000);
    for (const content of ['The good one', 'The other good one'])
      await clientOf(world).posts.create({ content, platforms, scheduledFor });
    const postId = await schedulePost(world, 'The bad one');
    await schedulePost(world, 'The late one', start + 7_200_000);
    const { page, leave } = await visit(browser(), `${world.url}#/posts`);
    await page.getByRole('button', { name: /^Step/ }).click();
    const notice = page.locator('.notice-bad');
    await notice.getByText(/3 posts: 2 published, 1 partial\.|3 posts: 1 partial, 2 published\./).waitFor();
    await notice.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('dialog', { name: `Post ${postId}` }).waitFor();
    await leave();
  });

  it('counts all deliveries of the same time', async () => {
    for (const port of [9, 10])
      world.service.seed.subscription({ webhook: { url: `http://127.0.0.1:${port}/` }, eventTypes: ['post.partial'] });
    await schedulePost(world, 'The blue one');
    const { page, leave } = await visit(browser(), `${world.url}#/posts`);
    const notice = page.locator('.notice');
    await page.getByRole('button', { name: /^Step/ }).click();
    await notice.getByText(/is partial/).waitFor();
    await page.getByRole('button', { name: /^Step/ }).click();
    await notice.getByText(/2 deliveries: 2 not delivered\./).waitFor();
    await leave();
  });

  it('is reported in three lines on a phone, with its button', async () => {
    world.service.publishing.outcome({ platform: 'facebook', error: 'Down' });
    world.service.seed.subscription({ webhook: { url: 'http://127.0.0.1:9/' }, eventTypes: ['post.partial'] });
    await schedulePost(world, 'The spring collection is here, in every shop of the town and on every channel');
    const { page, leave } = await visit(browser(), `${world.url}#/accounts`, { viewport: phone });
    const notice = page.locator('.notice');
    const step = async (words: RegExp) => {
      await page.getByRole('button', { name: /^Step/ }).click();
      await notice.filter({ hasText: words }).waitFor();
      const lines = await notice.locator('p').evaluate((text) => {
        const { height } = text.getBoundingClientRect();
        return Math.round(height / parseFloat(getComputedStyle(text).lineHeight));
      });
      expect(lines).toBeLessThanOrEqual(2);
      expect((await notice.boundingBox())?.height).toBeLessThan(100);
    };
    await step(/^“The spring collection is…” is partial\. 2 targets failed\.Show$/);
    await step(/^post\.partial of “The spring collection is…”: not delivered\.Show$/);
    await leave();
  });

  it('names the account whose token expired', async () => {
    const expiresAt = new Date(start + 3_600_000).toISOString();
    world.service.seed.integration({ platform: 'bluesky', username: 'short', accessTokenExpiresAt: expiresAt });
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('button', { name: /^Step/ }).click();
    const notice = page.locator('.notice').filter({ hasText: 'The token of Bluesky @short expired.' });
    await notice.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
    await leave();
  });
});

describe('notices', () => {
  it.each([
    ['a desktop', desktop],
    ['a small desktop', { width: 1024, height: 768 }],
    ['a phone', phone],
    ['a small phone', { width: 320, height: 640 }],
  ])('cover nothing on %s, and move nothing above them', async (_, viewport) => {
    const { page, leave } = await visit(browser(), `${world.url}#/accounts`, { viewport });
    const expire = page.getByRole('button', { name: /^Expire token/ }).first();
    const before = await page.getByRole('heading', { level: 1 }).boundingBox();
    await expire.click();
    await page.locator('.notice').waitFor();
    expect(await page.getByRole('heading', { level: 1 }).boundingBox()).toEqual(before);
    const covered = await page.evaluate(() => {
      const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
      // A narrow page has its navigation in the menu.
      const nav = document.querySelector('.nav') === null ? [] : ['.nav'];
      const [notices, ...others] = ['.notices', 'main', '.top', ...nav].map(box);
      return others.map((other) => {
        if (notices === undefined || other === undefined) return 'missing';
        const isBeside = other.right <= notices.left || other.left >= notices.right;
        return !isBeside && other.bottom > notices.top + 0.5 && other.top < notices.bottom;
      });
    });
    expect(covered).toEqual(viewport.width < 720 ? [false, false] : [false, false, false]);
    await leave();
  });

  it('do not outgrow two lines of notices, and one on a phone', async () => {
    for (const [viewport, most] of [
      [desktop, 2],
      [phone, 1],
    ] as const) {
      for (const number of [1, 2, 3]) world.service.accounts.reconnect(`integration_${number}`);
      const { page, leave } = await visit(browser(), `${world.url}#/accounts`, { viewport });
      // Three accounts: notices about the same one replace each other.
      for (const name of [/^Expire token: Instagram/, /^Fail authorization: Facebook/, /^Expire token: TikTok/])
        await page.getByRole('button', { name }).click();
      await page.locator('.notice:visible').first().waitFor();
      await expect.poll(() => page.locator('.notice:visible').count()).toBe(most);
      await open(page, 'Posts');
      await leave();
    }
  });
});
