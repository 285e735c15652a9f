import type { Page, Route } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { createEmulator } from '../../src/emulator/index.js';
import { browserForAll, open, phone, visit } from './support/browser.js';
import { focused } from './support/keyboard.js';
import { clientOf, schedulePost, serveWorld, start, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
const expected = /ERR_|Failed to load|MIME type/;
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

const html = (route: Route) => route.fulfill({ contentType: 'text/html', body: '<h1>Sign in to the network</h1>' });
const broken = (route: Route) => route.fulfill({ status: 500, contentType: 'text/plain', body: 'Internal error' });

/** Answers the requests to some paths in place of the emulator, until the returned function is called. */
async function answer(page: Page, paths: RegExp, how: (route: Route) => Promise<void>): Promise<() => Promise<void>> {
  await page.route(paths, how);
  return () => page.unroute(paths);
}

const alerts = (page: Page) => page.getByRole('alert').allInnerTexts();

const notEmulator = 'Another program answers instead of the emulator. Check the address of the page and the proxy.';

describe('a page that starts while', () => {
  it.each([
    ['another program answers', html, notEmulator],
    ['the emulator fails', broken, 'The reply has status 500. Try again, or start the emulator again.'],
    ['the replies are empty', (route: Route) => route.fulfill({ body: '' }), notEmulator],
    ['the replies are lists', (route: Route) => route.fulfill({ json: [] }), notEmulator],
  ] as const)('%s says so once, and starts when the emulator answers', async (_, how, words) => {
    const { page, leave } = await visit(browser(), world.url, { expected });
    const stop = await answer(page, /_emulator|\/v1\//, how);
    await page.reload();
    await page.getByText(words).waitFor();
    await expect.poll(() => page.locator('.connection').innerText()).toBe('Not connected');
    expect(await alerts(page)).toEqual([words]);
    await stop();
    await page.getByRole('heading', { name: 'March 2027', exact: true }).waitFor();
    await expect.poll(() => alerts(page)).toEqual([]);
    await leave();
  });

  it('the emulator is slow shows that it loads', async () => {
    const { page, leave } = await visit(browser(), world.url);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await answer(page, /_emulator\/session/, async (route) => {
      await held;
      await route.continue();
    });
    await page.reload();
    await page.getByRole('main').getByText('Loading').waitFor();
    release();
    await page.getByRole('heading', { name: 'March 2027', exact: true }).waitFor();
    await leave();
  });
});

describe('a failed read', () => {
  it('is repeated until it succeeds, and the view claims nothing meanwhile', async () => {
    const { page, leave } = await visit(browser(), world.url, { expected });
    const stop = await answer(page, /_emulator\/(?:faults|outcomes)/, broken);
    // Every view reads the rules, for the navigation.
    await page.reload();
    await open(page, 'Faults');
    await page.getByRole('alert').waitFor();
    expect(await alerts(page)).toHaveLength(1);
    for (const claim of ['Every request is answered as documented.', 'Every webhook is delivered at once'])
      expect(await page.getByText(claim).count()).toBe(0);
    await stop();
    await page.getByText('Every request is answered as documented.').waitFor();
    expect(await alerts(page)).toEqual([]);
    await leave();
  });

  it('of the subscriptions is reported', async () => {
    const { page, leave } = await visit(browser(), world.url, { expected });
    await answer(page, /_emulator\/subscriptions/, html);
    await open(page, 'Webhooks');
    await page.getByRole('alert').getByText(notEmulator).waitFor();
    await leave();
  });
});

it('a page that polls continues with the key of an emulator that restarted between two polls', async () => {
  const first = await serveEmulator(createEmulator({ accessKey: 'first', now: () => start }), { console: true });
  const { page, leave } = await visit(browser(), `${first.url}/#/posts`, { blocked: '**/_emulator/events', expected });
  await page.getByText('Polling', { exact: true }).waitFor();
  const service = createEmulator({ accessKey: 'second', now: () => start });
  service.seed.post({ content: 'Of the second emulator' });
  await page.waitForResponse(/_emulator\/(?:session|clock)/);
  await first.close();
  const second = await serveEmulator(service, { console: true, port: first.port });
  await page.getByRole('button', { name: 'Of the second emulator' }).waitFor();
  await second.close();
  await leave();
});

describe('a slow emulator', () => {
  /** Holds requests until the returned function is called. */
  const hold = async (page: Page, paths: RegExp) => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await answer(page, paths, async (route) => {
      await held;
      await route.continue();
    });
    return release;
  };

  const publish = async (content: string) => {
    const client = clientOf(world);
    const [account] = await client.integrations.list({ platform: 'instagram' }).toArray();
    const accountId = account?.id ?? '';
    await client.posts.create({ content, platforms: [{ platform: 'instagram', accountId }], publishNow: true });
    await world.service.clock.advance({ minutes: 5 });
    const post = world.service.posts.find((known) => known.content === content);
    return { accountId, postId: post?.platforms?.[0]?.platformPostId ?? '' };
  };

  it('is reported by a form, which keeps what the user writes meanwhile', async () => {
    const { accountId } = await publish('The blue one');
    const { page, leave } = await visit(browser(), `${world.url}#/comments?account=${accountId}`);
    const text = page.getByRole('textbox', { name: 'Comment' });
    await text.fill('The first comment');
    const release = await hold(page, /_emulator\/incoming/);
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByText('Waiting for the emulator').first().waitFor();
    await text.fill('The second comment');
    release();
    await page.getByText('The comment was added.').waitFor();
    await expect.poll(() => text.inputValue()).toBe('The second comment');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByRole('region', { name: 'Comments on the post' }).getByText('The second comment').waitFor();
    await expect.poll(() => text.inputValue()).toBe('');
    await leave();
  });

  it('does not show the comments of another post', async () => {
    await publish('The red one');
    const { accountId, postId } = await publish('The blue one');
    world.service.incoming.comment({ accountId, postId, text: 'About blue', author: { id: 'kim', name: 'Kim' } });
    const { page, leave } = await visit(browser(), `${world.url}#/comments?account=${accountId}&place=${postId}`);
    const comments = page.getByRole('region', { name: 'Comments on the post' });
    await comments.getByText('About blue').waitFor();
    const release = await hold(page, /\/v1\/comments/);
    await page
      .getByRole('list', { name: /^Posts/ })
      .getByRole('button', { name: 'The red one' })
      .click();
    await comments.getByText('The red one').waitFor();
    await comments.getByText('Loading').waitFor();
    expect(await comments.getByText('About blue').count()).toBe(0);
    release();
    await comments.getByText('No comments yet').waitFor();
    await leave();
  });
});

describe('a post that another tab removes', () => {
  it('keeps the text that the user writes in its form', async () => {
    const postId = await schedulePost(world, 'The blue one');
    const { page, leave } = await visit(browser(), `${world.url}#/posts?edit=${postId}`, { expected });
    const dialog = page.getByRole('dialog', { name: 'Edit the scheduled post' });
    await dialog.getByLabel('Content').fill('A long new text');
    await page.evaluate(() => fetch('./_emulator/reset', { method: 'POST', body: '{"to":"empty"}' }));
    await dialog
      .getByText(`There is no post ${postId} any more. Your text is kept until you close this dialog.`)
      .waitFor();
    await expect.poll(() => dialog.getByLabel('Content').inputValue()).toBe('A long new text');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await leave();
  });
});

it('a form says that another tab changed its post', async () => {
  const postId = await schedulePost(world, 'The blue one');
  const { page, leave } = await visit(browser(), `${world.url}#/posts?edit=${postId}`);
  const dialog = page.getByRole('dialog', { name: 'Edit the scheduled post' });
  await dialog.getByLabel('Content').fill('The text of this tab');
  expect(await dialog.getByRole('alert').count()).toBe(0);
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one documented way to edit a post
  await clientOf(world).posts.updateScheduled(postId, { content: 'The text of another tab' });
  const other = dialog.getByRole('alert');
  await other.getByText('The post has another text by now. If you save, your text replaces it:').waitFor();
  expect(await other.getByText('The text of another tab').count()).toBe(1);
  await expect.poll(() => dialog.getByLabel('Content').inputValue()).toBe('The text of this tab');
  await other.getByRole('button', { name: 'Use that text' }).click();
  await other.waitFor({ state: 'detached' });
  await expect.poll(() => focused(page)).toBe('Content');
  await expect.poll(() => dialog.getByLabel('Content').inputValue()).toBe('The text of another tab');
  await page.keyboard.press('Escape');
  await page.goto(`${world.url}#/posts?edit=${postId}`);
  await dialog.waitFor();
  expect(await other.count()).toBe(0);
  await leave();
});

describe('on a phone', () => {
  it('Back and Forward between the list and its item move the focus with them', async () => {
    await clientOf(world).posts.list();
    const { page, leave } = await visit(browser(), `${world.url}#/requests`, { viewport: phone });
    const row = page
      .getByRole('list', { name: /^Requests/ })
      .getByRole('button')
      .first();
    await row.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toMatch(/^GET/);
    await page.getByRole('region', { name: 'GET /v1/posts/' }).waitFor();
    await page.goBack();
    await row.waitFor();
    await expect.poll(() => row.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.goForward();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H2');
    await leave();
  });
});
