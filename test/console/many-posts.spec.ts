import { mkdirSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Emulator } from '../../src/emulator/index.js';
import { open, picture, browserForAll, visit } from './support/browser.js';
import { serveWorld, start, type World } from './support/world.js';

const count = 10_000;
const dayMs = 86_400_000;
/** A frame that took longer is seen as a stutter by some people, and by everybody. */
const longMs = 50;
const tooLongMs = 200;

const browser = browserForAll();
let world: World;

function fill(service: Emulator): void {
  const accounts = (['instagram', 'facebook', 'linkedin'] as const).map((platform) =>
    service.seed.integration({ platform, username: `acme.${platform}` }),
  );
  const platforms = accounts.map(({ id }, index) => ({
    platform: (['instagram', 'facebook', 'linkedin'] as const)[index] ?? 'instagram',
    accountId: id,
  }));
  for (let index = 0; index < count; index += 1) {
    service.seed.post({
      content: `Post ${index} about ${index % 7 === 0 ? 'tea' : 'coffee'}, and what else there is to say of it`,
      status: index % 3 === 0 ? 'published' : 'scheduled',
      platforms,
      createdAt: new Date(start - index * 60_000).toISOString(),
      scheduledFor: new Date(start + ((index % 365) - 180) * dayMs).toISOString(),
    });
  }
}

beforeAll(async () => {
  world = await serveWorld(fill);
});

afterAll(async () => {
  await world.close();
});

/** Measures the time between frames while something goes on. */
async function framesWhile(page: Page, act: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const frames: number[] = [];
    let last = performance.now();
    const next = () => {
      const now = performance.now();
      frames.push(now - last);
      last = now;
      if (!Object.hasOwn(window, 'stopFrames')) requestAnimationFrame(next);
    };
    Object.assign(window, { frames });
    requestAnimationFrame(next);
  });
  await act();
  return page.evaluate(() => {
    Object.assign(window, { stopFrames: true });
    return (window as unknown as { readonly frames: number[] }).frames;
  });
}

async function scrollAndFilter(page: Page): Promise<void> {
  const list = page.locator('.virtual');
  await list.hover();
  for (let step = 0; step < 60; step += 1) {
    await page.mouse.wheel(0, step % 3 === 0 ? 4_000 : 700);
    await page.waitForTimeout(16);
  }
  await list.evaluate((element) => {
    element.scrollTop = element.scrollHeight;
  });
  await page.getByText(`Post ${count - 1} about`).waitFor();
  const search = page.getByLabel('Search');
  await search.pressSequentially('about tea', { delay: 40 });
  await page.getByText(`1429 of ${count} posts`).waitFor();
  await page.getByLabel('Status').selectOption('published');
  await search.fill('');
  await page.getByLabel('Status').selectOption('');
  await page.getByText(`${count} posts`, { exact: true }).waitFor();
}

it('10,000 posts are scrolled and filtered without a stutter', async () => {
  const runs: Figures[] = [];
  // Other work on the machine can only make frames longer, so the best of three counts.
  while (runs.length < 3 && !runs.some(isSmooth)) runs.push(await measure());
  mkdirSync('.tmp/console', { recursive: true });
  writeFileSync('.tmp/console/frames.json', JSON.stringify(runs, null, 2));
  const figures = runs.find(isSmooth) ?? runs[0];
  if (figures === undefined) throw new Error('nothing was measured');
  expect(figures.frames).toBeGreaterThan(100);
  expect(figures.p95Ms).toBeLessThan(longMs);
  expect(figures.worstMs).toBeLessThan(tooLongMs);
  expect(figures.drawnRows).toBeLessThan(60);
});

interface Figures {
  readonly frames: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly worstMs: number;
  readonly drawnRows: number;
}

function isSmooth({ p95Ms, worstMs }: Figures): boolean {
  return p95Ms < longMs && worstMs < tooLongMs;
}

async function measure(): Promise<Figures> {
  const { page, leave } = await visit(browser(), world.url);
  await open(page, 'Posts');
  await page.getByText(`${count} posts`, { exact: true }).waitFor();
  const frames = await framesWhile(page, () => scrollAndFilter(page));
  const sorted = [...frames].sort((a, b) => a - b);
  const drawnRows = await page.locator('.virtual-list > li').count();
  await picture(page, 'many-posts');
  await leave();
  return {
    frames: frames.length,
    medianMs: at(sorted, 0.5),
    p95Ms: at(sorted, 0.95),
    worstMs: at(sorted, 1),
    drawnRows,
  };
}

it('the keyboard goes through all of them', async () => {
  const { page, leave } = await visit(browser(), world.url);
  await open(page, 'Posts');
  await page.getByText(`${count} posts`, { exact: true }).waitFor();
  const rows = page.getByRole('list', { name: 'Posts' });
  await rows.getByRole('button').first().focus();
  await page.keyboard.press('End');
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent))
    .toContain(`Post ${count - 1} about`);
  await page.keyboard.press('ArrowUp');
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent))
    .toContain(`Post ${count - 2} about`);
  await page.keyboard.press('Home');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('Post 0 about');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: /^Post / }).waitFor();
  await leave();
});

function at(sorted: readonly number[], share: number): number {
  const index = Math.min(sorted.length - 1, Math.floor(sorted.length * share));
  return Math.round((sorted[index] ?? 0) * 10) / 10;
}
