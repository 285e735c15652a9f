import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findings } from './support/axe.js';
import { open, phone, picture, browserForAll, visit } from './support/browser.js';
import { serveWorld, type World } from './support/world.js';

const views = [
  'Calendar',
  'Posts',
  'Accounts',
  'Comments',
  'Messages',
  'Automations',
  'Analytics',
  'Webhooks',
  'Requests',
  'Faults',
];

const browser = browserForAll();
/** Two weeks of a team, with a webhook that gets no answer, and a fault that has applied. */
let full: World;
/** Without data. */
let empty: World;

beforeAll(async () => {
  empty = await serveWorld(() => undefined);
  full = await serveWorld((service) => {
    service.seed.demo();
    service.seed.subscription({ channel: 'webhook', webhook: { url: 'http://127.0.0.1:1/' } });
    service.faults.add({ kind: 'status', status: 503, route: 'POST /v1/posts/', times: 2 });
    service.deliveryFaults.add({ kind: 'duplicate', eventType: 'post.partial' });
    service.publishing.outcome({ platform: 'tiktok', error: 'The video is missing' });
  });
  await full.service.clock.advance({ days: 2 });
});

afterAll(async () => {
  await full.close();
  await empty.close();
});

async function readAnalytics(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Read posts/ }).click();
  await page.getByRole('region', { name: 'Metrics of posts' }).waitFor();
  await page.getByRole('button', { name: /^Read insights/ }).click();
  await page.getByRole('img', { name: /^Reach by day/ }).waitFor();
}

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  it('no view has a finding of axe that is serious or critical', async () => {
    const { page, leave } = await visit(browser(), full.url, { colorScheme });
    for (const view of views) {
      await open(page, view);
      if (view === 'Analytics') await readAnalytics(page);
      await page.waitForTimeout(400);
      await picture(page, `${view.toLowerCase()}-${colorScheme}`);
      expect({ view, found: await findings(page) }).toEqual({ view, found: [] });
    }
    await leave();
  });

  it('no empty view has one, and each says what to do', async () => {
    const { page, leave } = await visit(browser(), empty.url, { colorScheme });
    for (const view of views) {
      await open(page, view);
      await page.waitForTimeout(200);
      expect({ view, found: await findings(page) }).toEqual({ view, found: [] });
      expect((await page.locator('main').innerText()).length).toBeGreaterThan(80);
    }
    await leave();
  });

  it('no dialog has one', async () => {
    const { page, leave } = await visit(browser(), full.url, { colorScheme });
    await page.getByRole('button', { name: 'New post', exact: true }).click();
    await picture(page, `composer-${colorScheme}`);
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByText('Write something, or add media.').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await open(page, 'Posts');
    await page.getByRole('list', { name: 'Posts' }).getByRole('button').first().click();
    await page.getByRole('dialog', { name: /^Post / }).waitFor();
    await picture(page, `post-${colorScheme}`);
    expect(await findings(page)).toEqual([]);
    await leave();
  });
});

describe.each([phone, { width: 320, height: 640 }])('on a phone of %o', (viewport) => {
  it('no view is wider than the screen, and none has a finding of weight', async () => {
    const { page, leave } = await visit(browser(), full.url, { viewport, hasTouch: true });
    for (const view of views) {
      await open(page, view);
      if (view === 'Analytics') await readAnalytics(page);
      await page.waitForTimeout(300);
      await picture(page, `${view.toLowerCase()}-${viewport.width}`);
      const width = await page.evaluate(() => {
        const main = document.querySelector('main');
        return Math.max(document.documentElement.scrollWidth, main?.scrollWidth ?? 0);
      });
      expect({ view, width }).toEqual({ view, width: viewport.width });
      expect({ view, found: await findings(page) }).toEqual({ view, found: [] });
    }
    await page.getByRole('button', { name: 'New post', exact: true }).click();
    await picture(page, `composer-${viewport.width}`);
    await leave();
  });
});

describe('the theme', () => {
  it('follows the device until it is chosen, and is kept', async () => {
    const { page, leave } = await visit(browser(), empty.url, { colorScheme: 'light' });
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await background();
    await page.getByRole('button', { name: 'Theme: system. Change' }).click();
    await page.getByRole('button', { name: 'Theme: light. Change' }).click();
    expect(await background()).not.toBe(light);
    await page.reload();
    await page.getByRole('button', { name: 'Theme: dark. Change' }).waitFor();
    expect(await background()).not.toBe(light);
    await leave();
  });
});
