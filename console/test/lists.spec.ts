import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserForAll, desktop, visit } from './support/browser.js';
import { schedulePost, serveWorld, type World } from './support/world.js';

const browser = browserForAll();
const dayMs = 86_400_000;
let world: World;

beforeEach(async () => {
  world = await serveWorld((service) => {
    service.seed.demo();
  });
});

afterEach(() => world.close());

const visitAt = (view: string) => visit(browser(), `${world.url}#/${view}`, { viewport: desktop });

/** The distances of the rows from the edges of their box, and from its end. */
const edgesOf = (page: Page, box: string) =>
  page.locator(box).evaluate((element) => {
    const frame = element.getBoundingClientRect();
    const rows = [...element.querySelectorAll('.row')].map((row) => row.getBoundingClientRect());
    return {
      left: Math.max(...rows.map(({ left }) => left - frame.left)),
      right: Math.max(...rows.map(({ right }) => frame.right - right)),
      below: frame.bottom - Math.max(...rows.map(({ bottom }) => bottom)),
    };
  });

describe('a list', () => {
  it.each([
    ['posts?status=failed', '.virtual'],
    ['webhooks?outcome=failed', '.virtual'],
    ['requests?outcome=failed', '.virtual'],
    ['messages', 'nav.panel'],
    ['automations', 'nav.panel'],
  ])('reaches the edges of its box, which ends after the last row: %s', async (view, box) => {
    const { page, leave } = await visitAt(view);
    await page.locator(`${box} .row`).first().waitFor();
    const { left, right, below } = await edgesOf(page, box);
    expect(left).toBeLessThan(2);
    expect(right).toBeLessThan(2);
    expect(below).toBeLessThan(3);
    await leave();
  });

  it('has more room again when more items match', async () => {
    const { page, leave } = await visitAt('posts?status=failed');
    await page.getByText('4 of 60 posts').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('60 posts', { exact: true }).waitFor();
    await expect.poll(async () => (await page.locator('.virtual').boundingBox())?.height).toBeGreaterThan(600);
    await expect.poll(() => page.locator('.virtual .row').count()).toBeGreaterThan(12);
    await leave();
  });

  it.each([undefined, 'failed'])('has its filters on one line at a width of 1024, status: %s', async (status) => {
    const query = status === undefined ? '' : `?status=${status}&outcome=${status}`;
    for (const view of ['posts', 'requests']) {
      const viewport = { width: 1024, height: 768 };
      const { page, leave } = await visit(browser(), `${world.url}#/${view}${query}`, { viewport });
      await page
        .locator('.filter-row .count')
        .getByText(/\d+ (posts|requests)/)
        .waitFor();
      const tops = await page
        .locator('.filters :is(input, select)')
        .evaluateAll((all) => all.map((element) => element.getBoundingClientRect().top));
      expect(tops).toHaveLength(4);
      expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(4);
      const count = await page.locator('.filter-row .count').boundingBox();
      if (status === undefined) expect(Math.abs((count?.y ?? 0) - (tops[0] ?? 0))).toBeLessThan(20);
      await leave();
    }
  });

  it('has its filters, each with its label, on one line', async () => {
    const { page, leave } = await visitAt('posts?status=failed');
    await page.getByRole('button', { name: 'Clear filters' }).waitFor();
    for (const view of ['posts?status=failed', 'requests?outcome=failed']) {
      await page.goto(`${world.url}#/${view}`);
      await page.getByRole('button', { name: 'Clear filters' }).waitFor();
      const middles = await page
        .locator('.filter-row :is(label, input, select, .count, button)')
        .evaluateAll((all) =>
          all.map((element) => element.getBoundingClientRect()).map(({ top, bottom }) => (top + bottom) / 2),
        );
      expect(middles.length).toBeGreaterThan(8);
      expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(4);
      const edges = await page
        .locator('.filter-row .field > :is(label, input, select)')
        .evaluateAll((all) =>
          all.map((element) => element.getBoundingClientRect()).map(({ left, right }) => [left, right]),
        );
      const gaps = edges.slice(1).map(([left = 0], index) => left - (edges[index]?.[1] ?? 0));
      expect(Math.min(...gaps)).toBeGreaterThan(5);
    }
    await leave();
  });
});

describe('the symbols of the targets', () => {
  it('show a warning that all targets have, and the dialog says it in words', async () => {
    const account = world.service.seed.integration({ platform: 'threads', username: 'warned' });
    const { postId } = world.service.seed.post({
      content: 'With a warning',
      status: 'partial',
      platforms: [{ platform: 'threads', accountId: account.id, warningMessage: 'The link preview was left out.' }],
    });
    const { page, leave } = await visitAt('posts?q=With+a+warning');
    const row = page.locator('.post-row').filter({ hasText: 'With a warning' });
    await row.locator('.target-partial > .icon').waitFor();
    await row.click();
    const dialog = page.getByRole('dialog', { name: `Post ${postId}` });
    await dialog.getByText('Published with a warning: The link preview was left out.').waitFor();
    await leave();
  });

  it('are shown only if the targets differ: else the status of the post says the same', async () => {
    const { page, leave } = await visitAt('posts?status=scheduled');
    const symbols = page.locator('.post-row .target > .icon');
    await page.locator('.post-row').first().waitFor();
    expect(await symbols.filter({ visible: true }).count()).toBe(0);
    await page.goto(`${world.url}#/posts?status=partial`);
    await symbols.filter({ visible: true }).first().waitFor();
    await leave();
  });
});

describe('the calendar', () => {
  it.each([
    ['week', '.week-head'],
    ['month', 'thead th'],
  ])('keeps its heading, its buttons and the names of the days in sight while a %s scrolls', async (layout, head) => {
    await world.service.clock.advance({ days: 60 });
    for (let index = 0; index < 40; index += 1)
      await schedulePost(world, `Post ${index}`, world.service.clock.now() + (index % 4) * dayMs + 3_600_000);
    const { page, leave } = await visit(browser(), `${world.url}#/calendar?layout=${layout}`, {
      viewport: { width: 1440, height: 660 },
    });
    await page.getByText('Post 0', { exact: true }).first().waitFor();
    const main = page.locator('main');
    await main.evaluate((element) => {
      element.scrollTop = 150;
    });
    await expect.poll(() => main.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(60);
    const [heading, tools, names] = [
      await page.getByRole('heading', { level: 1 }).boundingBox(),
      await page.getByRole('button', { name: 'Today' }).boundingBox(),
      await page.locator(head).first().boundingBox(),
    ];
    const top = (await main.boundingBox())?.y ?? 0;
    expect(heading?.y).toBeGreaterThanOrEqual(top);
    expect(tools?.y).toBeGreaterThanOrEqual((heading?.y ?? 0) + (heading?.height ?? 0));
    expect(names?.y).toBeGreaterThan((tools?.y ?? 0) + 20);
    expect(names?.y).toBeLessThan(top + 130);
    await leave();
  });
});

describe('the numbers of items', () => {
  it('have separators', async () => {
    for (let index = 0; index < 1_000; index += 1) world.service.seed.post({ content: `Draft ${index}` });
    const { page, leave } = await visitAt('posts');
    await page.getByText(/^1,0\d\d posts$/).waitFor();
    await leave();
  });
});
