import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { browserForAll, visit } from './support/browser.js';
import { clientOf, schedulePost, serveWorld, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

const isLive = (page: Page) => page.getByText('Live', { exact: true }).waitFor();

/** Opens more tabs of the same browser. All of them are visible, like windows beside each other. */
async function openTabs(context: BrowserContext, count: number): Promise<readonly Page[]> {
  const tabs: Page[] = [];
  for (let opened = 0; opened < count; opened += 1) {
    const tab = await context.newPage();
    await tab.goto(`${world.url}#/posts`);
    await isLive(tab);
    tabs.push(tab);
  }
  return tabs;
}

const sees = (page: Page, content: string) => page.getByRole('button', { name: content }).first().waitFor();

const create = (content: string) => clientOf(world).posts.create({ content, saveAsDraft: true });

describe('many visible tabs of one browser', () => {
  it('share one stream, and each of them shows each change', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts`);
    await isLive(page);
    let streams = 0;
    page.context().on('request', (request) => {
      if (request.url().endsWith('/_emulator/events')) streams += 1;
    });
    const tabs = await openTabs(page.context(), 7);
    await create('The blue one');
    for (const tab of [page, ...tabs]) await sees(tab, 'The blue one');
    expect(streams).toBe(0);
    await leave();
  });

  it('lose nothing when the tab with the stream is closed, and keep Undo', async () => {
    await schedulePost(world, 'The blue one');
    const { page, leave } = await visit(browser(), `${world.url}#/posts`);
    await isLive(page);
    const tabs = await openTabs(page.context(), 2);
    const [second] = tabs;
    if (second === undefined) throw new Error('Two tabs were opened.');
    await second.goto(`${world.url}#/calendar`);
    await second
      .getByRole('cell')
      .getByRole('button', { name: /The blue one/ })
      .focus();
    await second.keyboard.press('Shift+ArrowRight');
    const undo = second.getByRole('button', { name: 'Undo' });
    await undo.waitFor();
    await page.close();
    await schedulePost(world, 'After the first tab');
    for (const tab of tabs) await sees(tab, 'After the first tab');
    expect(await undo.count()).toBe(1);
    await second.close();
    await schedulePost(world, 'After the second tab');
    for (const tab of tabs.slice(1)) await sees(tab, 'After the second tab');
    await leave();
  });

  it('each report a stopped emulator, and show its data when it answers again', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts`, { expected: /ERR_|Failed to load|fetch/ });
    await isLive(page);
    const tabs = [page, ...(await openTabs(page.context(), 2))];
    await world.close();
    for (const tab of tabs) await tab.getByText('The emulator does not answer').first().waitFor();
    const served = await serveEmulator(world.service, { console: true, port: Number(new URL(world.url).port) });
    try {
      for (const tab of tabs) await isLive(tab);
      await create('The blue one');
      for (const tab of tabs) await sees(tab, 'The blue one');
      await leave();
    } finally {
      await served.close();
    }
  });
});

it('a tab of a browser without locks has its own stream, as over HTTP from another computer', async () => {
  const { page, leave } = await visit(browser(), `${world.url}#/posts`);
  await page.context().addInitScript(() => {
    Reflect.deleteProperty(Navigator.prototype, 'locks');
  });
  let streams = 0;
  page.context().on('request', (request) => {
    if (request.url().endsWith('/_emulator/events')) streams += 1;
  });
  const tabs = await openTabs(page.context(), 2);
  await create('The blue one');
  for (const tab of tabs) await sees(tab, 'The blue one');
  expect(streams).toBe(2);
  await leave();
});

it('a gap of the connection does not forget which posts were published again, while the page polls', async () => {
  const failed = await schedulePost(world, 'The blue one');
  await world.service.clock.advance({ hours: 2 });
  const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${failed}`, {
    blocked: '**/_emulator/events',
    expected: /ERR_|Failed to load|fetch/,
  });
  await page.getByText('Polling', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Publish the failed targets again' }).click();
  await page.getByText(`Publishes the failed targets of ${failed} again.`).waitFor();
  await page.keyboard.press('Escape');
  const mark = page.getByText('failed targets published again');
  await mark.waitFor();
  await page.context().setOffline(true);
  await page.getByText('The emulator does not answer').first().waitFor();
  await page.context().setOffline(false);
  await page.getByText('Polling', { exact: true }).waitFor();
  await page.waitForTimeout(1_000);
  expect(await mark.count()).toBe(1);
  await leave();
});
