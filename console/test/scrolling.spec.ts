import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserForAll, desktop, open, phone, visit } from './support/browser.js';
import { focused } from './support/keyboard.js';
import { placesOf, serveFullWorld, type FullWorld } from './support/places.js';
import { serveWorld } from './support/world.js';

const browser = browserForAll();
let world: FullWorld;

beforeAll(async () => {
  world = await serveFullWorld({ isLong: true });
});

afterAll(() => world.close());

/** Returns the elements that scroll vertically inside of another one. Text fields scroll their own text. */
const nestedIn = (page: Page) =>
  page.evaluate(() => {
    const scope = document.querySelector('dialog[open]') ?? document.body;
    const scrolls = (element: Element) =>
      element.matches(':not(textarea)') &&
      ['auto', 'scroll'].includes(getComputedStyle(element).overflowY) &&
      element.scrollHeight > element.clientHeight + 1;
    return [...scope.querySelectorAll('*')]
      .filter((element) => {
        if (!element.checkVisibility() || !scrolls(element)) return false;
        for (let outer = element.parentElement; outer !== null; outer = outer.parentElement)
          if (scrolls(outer)) return true;
        return false;
      })
      .map((element) => `${element.tagName.toLowerCase()}.${element.className}`);
  });

describe.each([desktop, phone])('at %o', (viewport) => {
  it('no area scrolls vertically inside of another one', async () => {
    const { page, leave } = await visit(browser(), world.url, { viewport });
    const found: Record<string, readonly string[]> = {};
    for (const place of [...placesOf(world), `#/requests?request=${world.long}`]) {
      await page.goto(world.url + place);
      await page.reload();
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForTimeout(400);
      const nested = await nestedIn(page);
      const isWide = await page.locator('main').evaluate((main) => main.scrollWidth > main.clientWidth);
      if (isWide) nested.push('The view scrolls sideways.');
      if (nested.length > 0) found[place] = nested;
    }
    expect(found).toEqual({});
    await leave();
  });
});

describe('a long body', () => {
  it('shows its first lines, then all of them, and keeps the focus there', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/requests?request=${world.long}`);
    const body = page.getByRole('region', { name: 'Request body' });
    await body.waitFor();
    expect(await body.innerText()).not.toContain('line 199');
    await page.getByRole('button', { name: /more lines of Request body/ }).click();
    await expect.poll(() => body.innerText()).toContain('line 199');
    expect(await body.evaluate((element) => element === document.activeElement)).toBe(true);
    await leave();
  });
});

describe('a long list', () => {
  it('of deliveries scrolls by itself, and End reaches the last of them', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/webhooks`, { viewport: phone });
    const rows = page.getByRole('list', { name: /^Deliveries/ }).getByRole('button');
    await rows.first().focus();
    const all = Number(await page.locator('.virtual li').first().getAttribute('aria-setsize'));
    expect(all).toBeGreaterThan(20);
    expect(await rows.count()).toBeLessThan(all);
    await page.keyboard.press('End');
    const place = () => page.evaluate(() => Number(document.activeElement?.closest('li')?.ariaPosInSet));
    await expect.poll(place).toBe(all);
    await page.keyboard.press('ArrowUp');
    await expect.poll(place).toBe(all - 1);
    await leave();
  });

  it('of conversations shows more of them by a button, and the focus moves to the first of those', async () => {
    const users = 9;
    const many = await serveWorld((service) => {
      const { id: accountId } = service.seed.integration({ platform: 'instagram', username: 'acme.instagram' });
      for (let user = 0; user < users; user += 1)
        service.incoming.message({ accountId, text: 'Hello', from: { id: `user_${user}`, name: `User ${user}` } });
    });
    const { page, leave } = await visit(browser(), `${many.url}#/messages`, { viewport: phone });
    const rows = page.getByRole('list', { name: /^Conversations/ }).getByRole('button');
    await rows.nth(4).waitFor();
    expect(await rows.count()).toBe(5);
    await page.getByRole('button', { name: `Show ${users - 5} more` }).click();
    await expect.poll(() => rows.count()).toBe(users);
    expect(await rows.nth(5).evaluate((row) => row === document.activeElement)).toBe(true);
    await page.keyboard.press('ArrowUp');
    expect(await rows.nth(4).evaluate((row) => row === document.activeElement)).toBe(true);
    await leave();
    await many.close();
  });

  it('of messages shows the latest, and the earlier ones by a button', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/messages`, { viewport: phone, hasTouch: true });
    await page
      .getByRole('list', { name: /^Conversations/ })
      .getByRole('button', { name: /Message 39/ })
      .first()
      .tap();
    const messages = page.getByRole('list', { name: 'Messages' });
    await messages.getByText('Message 39').waitFor();
    expect(await messages.getByText('Message 0', { exact: true }).count()).toBe(0);
    await messages.getByRole('button', { name: 'Show earlier messages' }).tap();
    await messages.getByText('Message 0', { exact: true }).waitFor();
    expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true);
    await leave();
  });
});

describe('on a phone', () => {
  it('a request takes the place of the list, and the way back leads to its row', async () => {
    const { page, leave } = await visit(browser(), world.url, { viewport: phone, hasTouch: true });
    await open(page, 'Requests');
    const rows = page.getByRole('list', { name: /^Requests/ }).getByRole('button');
    const words = await rows.nth(3).innerText();
    await rows.nth(3).tap();
    await page.getByRole('heading', { name: 'Reply', exact: true }).waitFor();
    expect(await rows.first().isVisible()).toBe(false);
    await page.getByRole('button', { name: 'All requests' }).tap();
    await rows.first().waitFor();
    await expect.poll(() => focused(page)).toBe(words.replaceAll(/\s+/g, ' ').trim());
    await leave();
  });
});
