import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { createPublisher, MemoryDurableStore, type Publisher } from '../../src/publisher/index.js';
import { createWebhookInbox } from '../../src/webhooks/index.js';
import { browserForAll, desktop, phone, visit } from './support/browser.js';
import { clientOf, serveWorld, type World } from './support/world.js';

const browser = browserForAll();
const newsletter = 'newsletter-2026-11-24-morning-edition';
let world: World;
let publisher: Publisher;
let accountId: string;
let served: { readonly url: string; close(): Promise<void> };

/** One post is published, and the creation of the other one is in doubt: its reply and the search for it failed. */
beforeEach(async () => {
  world = await serveWorld(() => undefined);
  const { service } = world;
  publisher = createPublisher({ client: clientOf(world), store: new MemoryDurableStore() });
  accountId = service.seed.integration({ platform: 'bluesky' }).id;
  const body = { publishNow: true, platforms: [{ platform: 'bluesky', accountId }] } as const;
  await publisher.publish(newsletter, { ...body, content: `Good morning. ${'A long text. '.repeat(20)}` });
  service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });
  service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 503 });
  await publisher.publish('launch', { ...body, content: 'The launch' }).catch(() => undefined);
  const inbox = createWebhookInbox({ secret: 'whsec_of_a_test', store: new MemoryDurableStore(), on: {} });
  served = await serveEmulator(service, { console: true, observe: { publisher, inbox } });
});

afterEach(async () => {
  await served.close();
  await world.close();
});

describe('the view of intents', () => {
  it.each([
    ['1440', desktop],
    ['390', phone],
  ])('has room for long texts and errors at a width of %s', async (_, viewport) => {
    const { page, leave } = await visit(browser(), `${served.url}/#/durable`, { viewport });
    const list = page.getByRole('list', { name: 'Intents' });
    await list.getByText('in_doubt').waitFor();
    const boxes = await list
      .getByRole('listitem')
      .evaluateAll((items) =>
        items.map((item) => ({ height: item.clientHeight, hidden: item.scrollWidth - item.clientWidth })),
      );
    expect(boxes).toHaveLength(2);
    for (const { height, hidden } of boxes) {
      expect(height).toBeLessThan(viewport === phone ? 330 : 150);
      expect(hidden).toBe(0);
    }
    // An ID is not cut in two.
    const id = await list.getByRole('button', { name: /^post_/ }).boundingBox();
    expect(id?.height).toBeLessThan(30);
    expect(await list.getByText(newsletter).isVisible()).toBe(true);
    await leave();
  });

  it('edits and cancels an intent that waits', async () => {
    const platforms = [{ platform: 'bluesky', accountId }] as const;
    const body = { content: 'First text', scheduledFor: '2099-01-01T09:00:00Z', platforms };
    await publisher.enqueue('spring/sale', body, { sendAheadMs: 60_000 });
    const { page, leave } = await visit(browser(), `${served.url}/#/durable`);
    const item = page.getByRole('list', { name: 'Intents' }).getByRole('listitem').filter({ hasText: 'spring/sale' });
    await item.getByText(/^sent at .*2099/).waitFor();
    await item.getByRole('button', { name: 'Edit spring/sale' }).click();
    await item.getByLabel('Text').fill('Second text');
    await item.getByRole('button', { name: 'Save' }).click();
    await item.getByText('Second text', { exact: true }).waitFor();
    await item.getByRole('button', { name: 'Cancel spring/sale' }).click();
    await item.getByRole('button', { name: 'Cancel it?' }).click();
    await item.getByText('abandoned').waitFor();
    expect(await publisher.get('spring/sale')).toMatchObject({ state: 'abandoned', body: { content: 'Second text' } });
    await leave();
  });

  it('says what is known about a post in doubt, and what to do', async () => {
    const { page, leave } = await visit(browser(), `${served.url}/#/durable`);
    const list = page.getByRole('list', { name: 'Intents' });
    await list.getByText('The last search for its post failed.').waitFor();
    const panel = page.getByRole('region', { name: 'Intents' });
    await panel.getByText('publisher.resolve(key, …)').waitFor();
    expect(await panel.getByRole('link', { name: 'Requests' }).count()).toBe(2);
    await page.getByRole('button', { name: 'published: 1' }).click();
    await list.getByText('in_doubt').waitFor({ state: 'detached' });
    expect(await list.getByRole('listitem').count()).toBe(1);
    expect(await panel.getByText('publisher.resolve(key, …)').count()).toBe(0);
    await panel.getByRole('link', { name: 'Requests' }).click();
    await page.getByText(/^1 of \d+ requests$/).waitFor();
    await leave();
  });
});
