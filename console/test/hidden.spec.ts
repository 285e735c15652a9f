import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserForAll, open, visit } from './support/browser.js';
import { clientOf, serveWorld, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

/** Acts as a tab that the user leaves or comes back to. */
const setHidden = (page: Page, isHidden: boolean) =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: hidden ? 'hidden' : 'visible' });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }, isHidden);

/** Keeps the event streams of the page, for a test to look at. */
async function watchStreams(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const streams: EventSource[] = [];
    Object.assign(window, { streams });
    window.EventSource = class extends EventSource {
      constructor(url: string | URL) {
        super(url);
        streams.push(this);
      }
    };
  });
}

/** The states of an EventSource. */
const [streamOpen, streamClosed] = [1, 2];

interface Watched {
  readonly streams: readonly EventSource[];
}

const streamStates = (page: Page) =>
  page.evaluate(() => (window as unknown as Watched).streams.map(({ readyState }) => readyState));

describe('a hidden tab', () => {
  it('does not poll, and reads what changed as soon as it is visible', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts`, {
      blocked: '**/_emulator/events',
      expected: /ERR_|Failed to load/,
    });
    await page.getByText('Polling', { exact: true }).waitFor();
    await setHidden(page, true);
    await page.waitForTimeout(500);
    let reads = 0;
    page.on('request', (request) => {
      if (!request.url().endsWith('/events')) reads += 1;
    });
    await clientOf(world).posts.create({ content: 'While hidden', saveAsDraft: true });
    await page.waitForTimeout(7_000);
    expect(reads).toBe(0);
    await setHidden(page, false);
    await page.getByRole('button', { name: /While hidden/ }).waitFor({ timeout: 2_000 });
    await leave();
  });

  it('closes the stream after ten seconds, and misses and repeats nothing when it is visible again', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/requests`);
    await page.clock.install();
    await watchStreams(page);
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    const client = clientOf(world);
    await client.posts.create({ content: 'Before', saveAsDraft: true });
    await page.getByText('1 request', { exact: true }).waitFor();
    await setHidden(page, true);
    await client.posts.create({ content: 'In the first seconds', saveAsDraft: true });
    await page.clock.fastForward(5_000);
    expect(await streamStates(page)).toEqual([streamOpen]);
    await page.clock.fastForward(6_000);
    expect(await streamStates(page)).toEqual([streamClosed]);
    await client.posts.create({ content: 'Later', saveAsDraft: true });
    await client.integrations.get('integration_99').catch(() => undefined);
    await setHidden(page, false);
    await page.getByText('4 requests', { exact: true }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('link', { name: '1 failed', exact: true }).waitFor();
    const rows = page.getByRole('list', { name: /^Requests/ }).getByRole('button');
    expect(await rows.count()).toBe(4);
    await client.posts.create({ content: 'After', saveAsDraft: true });
    await page.getByText('5 requests', { exact: true }).waitFor();
    expect(await rows.count()).toBe(5);
    await open(page, 'Posts');
    await page.getByText('4 posts', { exact: true }).waitFor();
    for (const content of ['Before', 'In the first seconds', 'Later', 'After'])
      expect(await page.getByRole('button', { name: content }).count()).toBe(1);
    await leave();
  });

  it('keeps only the latest requests in its memory', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/requests`);
    await watchStreams(page);
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    await setHidden(page, true);
    const devtools = await page.context().newCDPSession(page);
    const heap = async () => {
      await devtools.send('HeapProfiler.collectGarbage');
      return (await devtools.send('Runtime.getHeapUsage')).usedSize / 1e6;
    };
    const before = await heap();
    await page.evaluate(() => {
      const [stream] = (window as unknown as Watched).streams;
      for (let index = 0; index < 20_000; index += 1)
        stream?.dispatchEvent(
          new MessageEvent('request', {
            data: JSON.stringify({
              id: `flood_${index}`,
              method: 'GET',
              url: 'http://localhost/v1/posts/',
              path: '/v1/posts/',
              query: {},
              headers: {},
              body: `${index}${'x'.repeat(3_000)}`,
              at: '2027-03-10T09:00:00.000Z',
              status: 200,
            }),
          }),
        );
    });
    expect((await heap()) - before).toBeLessThan(20);
    await setHidden(page, false);
    await page.getByText('the latest 2,000 requests').waitFor();
    await leave();
  });
});
