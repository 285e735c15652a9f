import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findings } from './support/axe.js';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { createPublisher, MemoryDurableStore } from '../../src/publisher/index.js';
import { createWebhookInbox } from '../../src/webhooks/index.js';
import { browserForAll, picture, visit } from './support/browser.js';
import { clientOf, serveWorld, start, type World } from './support/world.js';

const browser = browserForAll();
let full: World;
let planned: string;
/** The same emulator with a publisher and an inbox. */
let observed: { readonly url: string; readonly close: () => Promise<void> };

beforeAll(async () => {
  full = await serveWorld((service) => {
    service.seed.demo();
    service.seed.subscription({ channel: 'webhook', webhook: { url: 'http://127.0.0.1:1/' } });
    const account = service.seed.integration({ platform: 'bluesky', username: 'שלום.acme', displayName: 'שלום' });
    const platforms = [{ platform: 'bluesky', accountId: account.id }] as const;
    planned = service.seed.post({
      content: `שלום (1) ${'h'.repeat(200)}`,
      status: 'scheduled',
      scheduledFor: new Date(start + 3 * 86_400_000).toISOString(),
      platforms,
      rawRequestBody: { platforms },
    }).postId;
    service.publishing.outcome({ postId: planned, accountId: account.id, platform: 'bluesky', error: 'Refused' });
  });
  await full.service.clock.advance({ days: 2 });
  const publisher = createPublisher({ client: clientOf(full), store: new MemoryDurableStore() });
  await publisher.publish('campaign/1', { content: 'Durable', saveAsDraft: true });
  await publisher.enqueue('campaign/2', { content: 'Later', saveAsDraft: true });
  const inbox = createWebhookInbox({ secret: 'whsec_of_a_test', store: new MemoryDurableStore(), on: {} });
  observed = await serveEmulator(full.service, { console: true, observe: { publisher, inbox } });
});

afterAll(async () => {
  await observed.close();
  await full.close();
});

/** Every place of planning by its address. */
const places = () => [
  ['month', '#/calendar'],
  ['week', '#/calendar?layout=week'],
  ['agenda', '#/calendar?layout=agenda&zone=utc'],
  ['no match', '#/calendar?layout=agenda&status=draft&platform=tiktok'],
  ['posts with problems', '#/posts?status=problem'],
  ['accounts', '#/accounts'],
  ['requests by method', '#/requests?method=GET&status=2'],
  ['filters without a match', '#/posts?status=draft&platform=tiktok'],
  ['delivery', '#/webhooks'],
  ['subscriptions', '#/webhooks?show=subscriptions'],
  ['runs', '#/automations'],
  ['durable', '#/durable'],
  ['connection', '#/posts?tool=connection'],
  ['state', '#/posts?tool=state'],
  ['clock', '#/posts?tool=clock'],
  ['composer', '#/posts?compose=any'],
  ['commands', '#/posts?tool=commands'],
  ['shortcuts', '#/posts?tool=shortcuts'],
  ['post', `#/posts?post=${planned}`],
  ['duplicate', `#/posts?compose=any&from=${planned}`],
];

async function overflow(page: Page): Promise<number> {
  return page.evaluate(() => {
    const parts = [document.documentElement, document.querySelector('main'), document.querySelector('dialog')];
    return Math.max(...parts.map((part) => (part === null ? 0 : part.scrollWidth - part.clientWidth)));
  });
}

const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
  { width: 320, height: 640 },
];
const inLight = [
  ...sizes,
  { width: 1024, height: 768 },
  // 1440 × 900 pixels at 400 %.
  { width: 360, height: 225 },
];

describe.each([
  { colorScheme: 'light', at: inLight },
  { colorScheme: 'dark', at: sizes },
] as const)('in $colorScheme', ({ colorScheme, at }) => {
  it.each(at)(
    'nothing has a finding or is too wide at $width × $height',
    async (viewport) => {
      const { page, leave } = await visit(browser(), `${observed.url}/`, { colorScheme, viewport });
      for (const [place, address] of places()) {
        await page.goto(`${observed.url}/${address ?? ''}`);
        await page.waitForTimeout(300);
        await picture(page, `planning-${(place ?? '').replaceAll(' ', '-')}-${viewport.width}-${colorScheme}`);
        expect({ place, found: await findings(page), wider: await overflow(page) }).toEqual({
          place,
          found: [],
          wider: 0,
        });
      }
      await leave();
    },
    150_000,
  );
});

it('with reduced motion nothing moves', async () => {
  const { page, leave } = await visit(browser(), `${full.url}#/posts?tool=commands`, { reducedMotion: 'reduce' });
  await page.getByRole('dialog').waitFor();
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  await leave();
});
