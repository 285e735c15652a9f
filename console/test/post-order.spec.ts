import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { browserForAll, desktop, phone, picture, visit } from './support/browser.js';
import { serveWorld, start, type World } from './support/world.js';

const browser = browserForAll();
let world: World;
const dayMs = 86_400_000;

beforeAll(async () => {
  world = await serveWorld((service) => {
    const at = (days: number) => new Date(start + days * dayMs).toISOString();
    service.seed.post({ content: 'Old draft', status: 'draft', createdAt: at(-9) });
    service.seed.post({ content: 'Last', status: 'scheduled', scheduledFor: at(9), createdAt: at(-8) });
    service.seed.post({ content: 'Next', status: 'scheduled', scheduledFor: at(1), createdAt: at(-1) });
    service.seed.post({ content: 'Middle', status: 'scheduled', scheduledFor: at(5), createdAt: at(-4) });
  });
});

afterAll(() => world.close());

const texts = (page: Page) => page.locator('.post-text').allInnerTexts();

it('sorts the posts by their shown time, or by creation, and keeps the choice in the address', async () => {
  const { page, leave } = await visit(browser(), `${world.url}#/posts`);
  await expect.poll(() => texts(page)).toEqual(['Last', 'Middle', 'Next', 'Old draft']);
  await page.getByLabel('Sort by').selectOption('creation');
  await expect.poll(() => texts(page)).toEqual(['Next', 'Middle', 'Last', 'Old draft']);
  await expect.poll(() => page.locator('.post-time').first().innerText()).toMatch(/^created\s9 Mar 2027, 10:00$/);
  await page.getByText('All posts, last created first.').waitFor();
  await picture(page, 'posts-by-creation');
  await page.reload();
  await expect.poll(() => texts(page)).toEqual(['Next', 'Middle', 'Last', 'Old draft']);
  // It is not a filter.
  expect(await page.getByRole('button', { name: 'Clear filters' }).count()).toBe(0);
  await leave();
});

it('lists the next post first if only scheduled posts are shown', async () => {
  const { page, leave } = await visit(browser(), `${world.url}#/posts`);
  await page.getByLabel('Status').selectOption('scheduled');
  await expect.poll(() => texts(page)).toEqual(['Next', 'Middle', 'Last']);
  await page.getByText('Scheduled posts, the next one first.').waitFor();
  await page.getByLabel('Status').selectOption('all');
  await expect.poll(() => texts(page)).toEqual(['Last', 'Middle', 'Next', 'Old draft']);
  await leave();
});

it.each([desktop, phone, { width: 320, height: 640 }])('cuts off nothing in a row, at %o', async (viewport) => {
  const { page, leave } = await visit(browser(), `${world.url}#/posts?sort=created`, { viewport });
  const row = page.locator('.post-row').first();
  await row.waitFor();
  expect(await row.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBeLessThanOrEqual(0);
  await leave();
});
