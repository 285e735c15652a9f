import type { Locator, Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { targetOf } from '../../src/index.js';
import { findings } from './support/axe.js';
import { browserForAll, desktop, open, phone, picture, visit } from './support/browser.js';
import { focused } from './support/keyboard.js';
import { clientOf, serveWorld, startReceiver, threeAccounts, type Receiver, type World } from './support/world.js';

const browser = browserForAll();
const tablet = { width: 1024, height: 768 };
const narrowest = { width: 320, height: 640 };
const words = 'The blue one is back, in three sizes and with free shipping until Sunday';
let world: World;
let receiver: Receiver;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
  receiver = await startReceiver(() => world.service.clock.now());
});

afterEach(async () => {
  await world.close();
  await receiver.close();
});

/** Publishes posts of which the receiver takes each event. Returns the IDs, the oldest first. */
async function publish(count: number): Promise<readonly string[]> {
  const { webhook } = world.service.seed.subscription({ webhook: { url: receiver.url } });
  receiver.secret = webhook?.secret ?? '';
  const client = clientOf(world);
  const platforms = (await client.integrations.list({ platform: 'instagram' }).toArray()).map(targetOf);
  const ids: string[] = [];
  for (let sent = 0; sent < count; sent += 1)
    ids.push((await client.posts.create({ content: `${words} ${sent}`, platforms, publishNow: true })).postId);
  await world.service.clock.advance({ minutes: 1 });
  return ids;
}

const tabOf = (page: Page, name: RegExp) => page.getByRole('group', { name: 'Show' }).getByRole('button', { name });
const isChosen = (tab: Locator) => tab.getAttribute('aria-pressed');

/** Returns the number of rows that a list shows whole. */
const rowsInSight = (page: Page) =>
  page.locator('.virtual').evaluate((list) => {
    const { top, bottom } = list.getBoundingClientRect();
    return [...list.querySelectorAll('.row')].filter((row) => {
      const box = row.getBoundingClientRect();
      return box.top >= top - 1 && box.bottom <= bottom + 1;
    }).length;
  });

describe('deliveries', () => {
  it.each([
    [desktop, 9],
    [tablet, 7],
  ])('at %o are beside the chosen one, at least %d of them in sight', async (viewport, rows) => {
    await publish(12);
    const { page, leave } = await visit(browser(), `${world.url}#/webhooks`, { viewport });
    const panel = page.getByRole('region', { name: /^Event / });
    await panel.getByText('Signature valid').waitFor();
    await picture(page, `deliveries-${viewport.width}`);
    expect(await rowsInSight(page)).toBeGreaterThanOrEqual(rows);
    const [list, item] = [await page.locator('.virtual').boundingBox(), await panel.boundingBox()];
    if (list === null || item === null) throw new Error('Both are shown.');
    expect(list.x + list.width).toBeLessThan(item.x);
    expect(item.y).toBe(list.y);
    expect(item.width).toBeGreaterThan(list.width);
    expect(item.x + item.width).toBeLessThanOrEqual(viewport.width);
    // The actions come before the attempts, which need no scroll bar.
    const attempts = panel.getByRole('region', { name: 'Attempts' });
    expect(await attempts.evaluate((table) => table.scrollWidth - table.clientWidth)).toBe(0);
    const button = await panel.getByRole('button', { name: 'Deliver twice' }).boundingBox();
    expect(button?.y).toBeLessThan((await attempts.boundingBox())?.y ?? 0);
    await leave();
  });

  it('name type, outcome and post, and show the whole outcome', async () => {
    await publish(2);
    const { page, leave } = await visit(browser(), `${world.url}#/webhooks`, { viewport: tablet });
    const row = page.getByRole('button', {
      name: /^post\.published Delivered \(200\) The blue one .* \d+:\d\d:\d\d · /,
    });
    await row.first().waitFor();
    const cut = await row
      .first()
      .evaluate((element) =>
        [...element.querySelectorAll('strong, .status .line')]
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ textContent }) => textContent),
      );
    expect(cut).toEqual([]);
    await leave();
  });

  it('that a post links to are chosen in the address, and their row is in sight', async () => {
    const [oldest = ''] = await publish(30);
    const { page, leave } = await visit(browser(), `${world.url}#/webhooks?show=subscriptions`);
    await page.goto(`${world.url}#/posts?post=${oldest}`);
    await page
      .getByRole('dialog')
      .getByRole('link', { name: /^post\.published to/ })
      .click();
    const panel = page.getByRole('region', { name: /^Event / });
    await panel.getByRole('button', { name: `${words} 0` }).waitFor();
    await expect.poll(() => focused(page)).toBe('Webhooks');
    const row = page.locator('.row[aria-current=true]');
    await row.waitFor();
    await expect.poll(() => row.innerText()).toContain(`${words} 0`);
    const [list, box] = [await page.locator('.virtual').boundingBox(), await row.boundingBox()];
    expect(box?.y).toBeGreaterThanOrEqual((list?.y ?? 0) - 1);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual((list?.y ?? 0) + (list?.height ?? 0) + 1);
    // The keyboard starts at this row too.
    expect(await row.getAttribute('tabindex')).toBe('0');
    await leave();
  });

  it('on a phone give way to the chosen one, with the tabs', async () => {
    await publish(2);
    const { page, leave } = await visit(browser(), `${world.url}#/webhooks`, { viewport: phone, hasTouch: true });
    const row = page.getByRole('button', { name: /^post\.published/ }).first();
    await row.tap();
    await page.getByRole('button', { name: 'Deliver again' }).waitFor();
    await page.setViewportSize(narrowest);
    const attempts = page.getByRole('region', { name: 'Attempts' });
    expect(await attempts.evaluate((table) => table.scrollWidth - table.clientWidth)).toBe(0);
    await page.setViewportSize(phone);
    expect(await tabOf(page, /^Subscriptions/).count()).toBe(0);
    await page.goBack();
    await row.waitFor();
    await tabOf(page, /^Subscriptions \(1\)$/).waitFor();
    await leave();
  });
});

describe('on a phone, the way back from a delivery', () => {
  const placeOfFocus = (page: Page) =>
    page.evaluate(() => {
      const row = document.activeElement?.closest('li');
      const [list, box] = [row?.closest('.virtual')?.getBoundingClientRect(), row?.getBoundingClientRect()];
      if (!row || list === undefined || box === undefined) return 'not in the list';
      const isInSight = box.top >= list.top - 1 && box.bottom <= list.bottom + 1;
      return `${row.ariaPosInSet}${isInSight ? '' : ' out of sight'}`;
    });

  it('that a link opened leads to its row', async () => {
    await publish(30);
    const { page, leave } = await visit(browser(), `${world.url}#/webhooks`, { viewport: desktop });
    const rows = page.getByRole('list', { name: /^Deliveries/ }).getByRole('button');
    await rows.first().focus();
    await page.keyboard.press('End');
    await expect.poll(() => placeOfFocus(page)).toBe('30');
    await page.keyboard.press('Enter');
    const link = page.url();
    await page.setViewportSize(phone);
    await page.reload();
    expect(page.url()).toBe(link);
    await page.getByRole('button', { name: 'All deliveries' }).click();
    await expect.poll(() => placeOfFocus(page)).toBe('30');
    await leave();
  });

  it('leads to its row in a scrolled list', async () => {
    await publish(30);
    const { page, leave } = await visit(browser(), `${world.url}#/webhooks`, { viewport: phone });
    const rows = page.getByRole('list', { name: /^Deliveries/ }).getByRole('button');
    await rows.first().focus();
    for (const key of ['End', 'ArrowUp', 'ArrowUp', 'ArrowUp']) {
      await page.keyboard.press(key);
      await expect.poll(() => placeOfFocus(page)).toMatch(/^\d+$/);
    }
    await expect.poll(() => placeOfFocus(page)).toBe('27');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'All deliveries' }).click();
    await expect.poll(() => placeOfFocus(page)).toBe('27');
    await leave();
  });
});

describe('without a delivery', () => {
  it('the view says what to do, and leads to the form', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/webhooks`);
    await page.getByText('There is no subscription.').waitFor();
    await page.getByRole('link', { name: 'Subscribe a webhook' }).click();
    await page.getByLabel('URL').waitFor();
    await page.getByText('No subscriptions yet').waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY');
    expect(new URL(page.url()).hash).toBe('#/webhooks?show=subscriptions');
    world.service.seed.subscription({ webhook: { url: receiver.url } });
    await page.getByText(receiver.url).waitFor();
    await tabOf(page, /^Deliveries$/).click();
    await page.getByText('Publish a post, or schedule one').waitFor();
    expect(await page.getByText('There is no subscription.').count()).toBe(0);
    await page.getByRole('link', { name: 'Show the subscriptions' }).click();
    await page.getByText(receiver.url).waitFor();
    await leave();
  });
});

describe('the tab of the subscriptions', () => {
  it('is in the address: refresh, Back and the navigation restore it', async () => {
    await publish(1);
    const { page, leave } = await visit(browser(), `${world.url}#/webhooks`);
    const [deliveries, subscriptions] = [tabOf(page, /^Deliveries$/), tabOf(page, /^Subscriptions \(1\)$/)];
    await subscriptions.click();
    expect(new URL(page.url()).hash).toBe('#/webhooks?show=subscriptions');
    await expect.poll(() => focused(page)).toBe('Subscriptions (1)');
    await page.getByRole('heading', { name: receiver.url }).waitFor();
    await page.reload();
    await expect.poll(() => isChosen(subscriptions)).toBe('true');
    await open(page, 'Requests');
    await open(page, 'Webhooks');
    await expect.poll(() => isChosen(subscriptions)).toBe('true');
    await deliveries.click();
    await page.getByRole('list', { name: /^Deliveries/ }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/webhooks');
    await page.goBack();
    await expect.poll(() => isChosen(subscriptions)).toBe('true');
    expect(await isChosen(deliveries)).toBe('false');
    await leave();
  });

  it('gives way to the failures that the navigation counts', async () => {
    // The receiver has another secret, and refuses each event.
    world.service.seed.subscription({ webhook: { url: receiver.url } });
    const platforms = (await clientOf(world).integrations.list({ platform: 'instagram' }).toArray()).map(targetOf);
    await clientOf(world).posts.create({ content: words, platforms, publishNow: true });
    await world.service.clock.advance({ minutes: 5 });
    const { page, leave } = await visit(browser(), `${world.url}#/webhooks?show=subscriptions`);
    await page.getByRole('link', { name: '1 not delivered' }).click();
    await page.getByRole('button', { name: /^post\.published Failed/ }).waitFor();
    expect(await isChosen(tabOf(page, /^Deliveries$/))).toBe('true');
    await leave();
  });

  it.each([desktop, tablet, phone, narrowest])('at %o shows URL, events and a secret to copy', async (viewport) => {
    const url = `${receiver.url}/of/the/shop/in/production`;
    const { webhook } = world.service.seed.subscription({ webhook: { url } });
    const { page, leave } = await visit(browser(), `${world.url}#/webhooks?show=subscriptions`, { viewport });
    const list = page.getByRole('region', { name: 'Subscriptions' });
    await list.getByText('Signing secret').click();
    await page.evaluate(() => {
      const copied: string[] = [];
      Object.assign(window, { copied });
      const writeText = (text: string) => Promise.resolve(copied.push(text));
      Object.defineProperty(navigator, 'clipboard', { value: { writeText } });
    });
    await list.getByRole('button', { name: /^Copy Secret of/ }).click();
    expect(await page.evaluate(() => (window as unknown as { readonly copied: readonly string[] }).copied)).toEqual([
      webhook?.secret,
    ]);
    await picture(page, `subscriptions-${viewport.width}`);
    for (const text of [url, 'post.scheduled, post.published']) {
      const part = list.getByText(text).first();
      expect(await part.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    }
    const form = await page.getByLabel('URL').boundingBox();
    const box = await list.boundingBox();
    if (form === null || box === null) throw new Error('Both are shown.');
    if (viewport.width >= tablet.width) expect(form.x).toBeGreaterThan(box.x + box.width);
    else expect(form.y).toBeGreaterThan(box.y + box.height);
    expect(await findings(page)).toEqual([]);
    await leave();
  });
});

describe('requests', () => {
  it.each([
    [desktop, 13],
    [tablet, 6],
    [phone, 3],
  ])('at %o show their text over the whole width, at least %d rows', async (viewport, rows) => {
    await publish(15);
    const { page, leave } = await visit(browser(), `${world.url}#/requests`, { viewport });
    const row = page.getByRole('button', { name: /^POST \/v1\/posts\/ 200 The blue one .* \d+:\d\d:\d\d$/ });
    await row.first().waitFor();
    await picture(page, `requests-${viewport.width}`);
    expect(await rowsInSight(page)).toBeGreaterThanOrEqual(rows);
    const shown = await row.first().evaluate((element) => {
      const { paddingLeft, paddingRight } = getComputedStyle(element);
      const boxOf = (selector: string) => element.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
      const [text, time, status] = [boxOf('.row-text'), boxOf('.row-time'), boxOf('.status')];
      return {
        isWholeWidth: text.width >= element.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - 1,
        isTextBelow: text.top >= status.bottom - 2,
        isStatusRight: status.right > element.getBoundingClientRect().right - 20,
        isTimeBesideStatus: time.right <= status.left && time.top < status.bottom,
      };
    });
    expect(shown).toEqual({
      isWholeWidth: true,
      isTextBelow: true,
      isStatusRight: true,
      isTimeBesideStatus: viewport === desktop,
    });
    await leave();
  });

  it('at 1024 are beside the chosen one', async () => {
    await publish(1);
    const { page, leave } = await visit(browser(), `${world.url}#/requests`, { viewport: tablet });
    const panel = page.getByRole('region', { name: /^(POST|GET) / });
    await panel.waitFor();
    const [list, item] = [await page.locator('.virtual').boundingBox(), await panel.boundingBox()];
    expect((list?.x ?? 0) + (list?.width ?? 0)).toBeLessThan(item?.x ?? 0);
    expect(item?.width).toBeGreaterThan(420);
    await leave();
  });

  it('mark a fault before the text', async () => {
    world.service.faults.add({ kind: 'status', status: 503, route: 'POST /v1/posts/', times: 1 });
    await clientOf(world)
      .posts.create({ content: words, saveAsDraft: true })
      .catch(() => undefined);
    const { page, leave } = await visit(browser(), `${world.url}#/requests`);
    const row = page.getByRole('button', { name: /^POST \/v1\/posts\/ 503 fault: status 503 The blue one/ });
    await row.waitFor();
    const [fault, path] = [row.getByText('fault: status 503'), row.getByText('/v1/posts/')];
    const colorOf = (part: Locator) => part.evaluate((element) => getComputedStyle(element).color);
    expect(await colorOf(fault)).not.toBe(await colorOf(path));
    await leave();
  });
});
