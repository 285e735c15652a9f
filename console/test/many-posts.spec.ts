import { mkdirSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Emulator } from '../../src/emulator/index.js';
import { open, picture, browserForAll, visit } from './support/browser.js';
import { serveWorld, start, type World } from './support/world.js';

const count = 10_000;
/** The number as the page shows it. */
const shownCount = '10,000';
const dayMs = 86_400_000;
/** Longer frames are visible as stutter. */
const longMs = 50;
const tooLongMs = 200;

const browser = browserForAll();
let world: World;
/** The posts in the order of the list: the latest time first, posts of the same time by creation. */
const listed = Array.from({ length: count }, (_, index) => index).sort((a, b) => (b % 365) - (a % 365) || a - b);
/** Returns the beginning of a listed post. A negative place counts from the end. */
const textAt = (place: number) => `Post ${listed.at(place) ?? ''} about`;

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
  for (let index = 0; index < count; index += 1) await ask(index);
}, 120_000);

/** A request of another program. */
async function ask(index: number): Promise<void> {
  const url = `http://emulator.test/v1/posts/?limit=1&page=${index}`;
  await world.service.fetch(url, { headers: { 'x-access-key': 'console-test-key' } });
}

/** Sends 40 requests a second until the returned function is called, which returns their number. */
function traffic(): () => number {
  let sent = 0;
  const timer = setInterval(() => {
    sent += 1;
    void ask(sent);
  }, 25);
  return () => {
    clearInterval(timer);
    return sent;
  };
}

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
  await page.getByText(textAt(-1)).waitFor();
  const search = page.getByLabel('Search');
  await search.pressSequentially('about tea', { delay: 40 });
  await page.getByText(`1,429 of ${shownCount} posts`).waitFor();
  await page.getByLabel('Status').selectOption('published');
  await search.fill('');
  await page.getByLabel('Status').selectOption('');
  await page.getByText(`${shownCount} posts`, { exact: true }).waitFor();
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

function isSmooth({ p95Ms, worstMs }: Pick<Figures, 'p95Ms' | 'worstMs'>): boolean {
  return p95Ms < longMs && worstMs < tooLongMs;
}

async function measure(): Promise<Figures> {
  const { page, leave } = await visit(browser(), world.url);
  await open(page, 'Posts');
  await page.getByText(`${shownCount} posts`, { exact: true }).waitFor();
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

/** Bytes of the page's objects after a garbage collection. */
async function heapOf(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.enable');
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = (await devtools.send('Runtime.getHeapUsage')) as { readonly usedSize: number };
  await devtools.detach();
  return usedSize;
}

/** Scrolls the requests, searches them, opens one and goes to the posts. */
async function workInTraffic(page: Page): Promise<void> {
  const list = page.locator('.virtual');
  for (let round = 0; round < 2; round += 1) {
    await open(page, 'Requests');
    await page.getByText('the latest 2,000 requests', { exact: true }).waitFor();
    await list.hover();
    for (let step = 0; step < 40; step += 1) {
      await page.mouse.wheel(0, step % 3 === 0 ? 3_000 : 500);
      await page.waitForTimeout(16);
    }
    const search = page.getByLabel('Search');
    await search.pressSequentially('page', { delay: 40 });
    await search.fill('');
    await open(page, 'Posts');
    await page.getByText(`${shownCount} posts`, { exact: true }).waitFor();
    await list.hover();
    for (let step = 0; step < 40; step += 1) {
      await page.mouse.wheel(0, step % 3 === 0 ? 3_000 : 500);
      await page.waitForTimeout(16);
    }
  }
}

interface TrafficFigures {
  readonly frames: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly worstMs: number;
  readonly requests: number;
  readonly heapMb: readonly number[];
}

async function measureInTraffic(): Promise<TrafficFigures> {
  const { page, leave } = await visit(browser(), world.url);
  await open(page, 'Posts');
  await page.getByText(`${shownCount} posts`, { exact: true }).waitFor();
  // The first round fills the caches of the page.
  await workInTraffic(page);
  const end = traffic();
  const before = await heapOf(page);
  const frames = await framesWhile(page, () => workInTraffic(page));
  const after = await heapOf(page);
  const requests = end();
  await leave();
  const sorted = [...frames].sort((a, b) => a - b);
  const megabytes = (bytes: number) => Math.round(bytes / 100_000) / 10;
  return {
    frames: frames.length,
    medianMs: at(sorted, 0.5),
    p95Ms: at(sorted, 0.95),
    worstMs: at(sorted, 1),
    requests,
    heapMb: [megabytes(before), megabytes(after)],
  };
}

it('10,000 posts and 10,000 requests stay smooth while traffic arrives, and the memory does not grow', async () => {
  const runs: TrafficFigures[] = [];
  while (runs.length < 3 && !runs.some(isSmooth)) runs.push(await measureInTraffic());
  mkdirSync('.tmp/console', { recursive: true });
  writeFileSync('.tmp/console/frames-traffic.json', JSON.stringify(runs, null, 2));
  const figures = runs.find(isSmooth) ?? runs[0];
  if (figures === undefined) throw new Error('nothing was measured');
  expect(figures.requests).toBeGreaterThan(100);
  expect(figures.p95Ms).toBeLessThan(longMs);
  expect(figures.worstMs).toBeLessThan(tooLongMs);
  const [before = 0, after = 0] = figures.heapMb;
  expect(after).toBeLessThan(before * 1.15 + 2);
}, 180_000);

it('the keyboard goes through all of them', async () => {
  const { page, leave } = await visit(browser(), world.url);
  await open(page, 'Posts');
  await page.getByText(`${shownCount} posts`, { exact: true }).waitFor();
  const rows = page.getByRole('list', { name: 'Posts' });
  await rows.getByRole('button').first().focus();
  await page.keyboard.press('End');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain(textAt(-1));
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain(textAt(-2));
  await page.keyboard.press('Home');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain(textAt(0));
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: /^Post / }).waitFor();
  await leave();
});

function at(sorted: readonly number[], share: number): number {
  const index = Math.min(sorted.length - 1, Math.floor(sorted.length * share));
  return Math.round((sorted[index] ?? 0) * 10) / 10;
}

it('a week of 10,000 posts is published without a frozen page', async () => {
  const { page, leave } = await visit(browser(), `${world.url}#/posts?tool=clock`);
  await page.getByText(`${shownCount} posts`).waitFor();
  await page.evaluate(() => {
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries())
        document.body.dataset['longest'] = String(Math.max(duration, Number(document.body.dataset['longest'] ?? 0)));
    }).observe({ type: 'longtask' });
  });
  const before = world.service.snapshot();
  await page.getByRole('button', { name: '+1 week' }).click();
  await page.getByText(/Posts: \d+ published\.$/).waitFor();
  const longest = await page.evaluate(() => Number(document.body.dataset['longest'] ?? 0));
  // It took 10 seconds when each of the posts was looked up in the whole list.
  expect(longest).toBeLessThan(2_000);
  await leave();
  world.service.restore(before);
});
