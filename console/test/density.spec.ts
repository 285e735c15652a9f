import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { targetOf } from '../../src/index.js';
import { browserForAll, desktop, phone, picture, visit } from './support/browser.js';
import { focused } from './support/keyboard.js';
import { clientOf, schedulePost, serveWorld, type World } from './support/world.js';

const browser = browserForAll();
const hourMs = 3_600_000;
let world: World;

beforeEach(async () => {
  world = await serveWorld((service) => {
    service.seed.demo();
  });
});

afterEach(() => world.close());

describe('a day of the calendar', () => {
  it.each([
    [6, 6, undefined],
    [9, 5, '+4 more'],
  ] as const)('with %d posts shows %d of them in readable lines', async (count, lines, more) => {
    await world.service.clock.advance({ days: 60 });
    const day = world.service.clock.now() + 24 * hourMs;
    for (let index = 0; index < count; index += 1)
      await schedulePost(world, `Post ${index}`, day + (index * hourMs) / 2);
    const { page, leave } = await visit(browser(), world.url, { viewport: desktop });
    const cell = page.getByRole('cell').filter({ has: page.getByText('Post 0', { exact: true }) });
    const chips = cell.locator('.chip');
    await chips.nth(lines - 1).waitFor();
    expect(await chips.count()).toBe(lines);
    if (more !== undefined) await cell.getByText(more).waitFor();
    const shown = await chips.evaluateAll((all) =>
      all.map((chip) => {
        const [box, text] = [chip.getBoundingClientRect(), chip.querySelector('.chip-text')];
        const frame = chip.closest('td')?.getBoundingClientRect();
        return {
          isOneLine: box.height < 26,
          isHighEnough: box.height >= 24,
          isInside: frame !== undefined && box.bottom <= frame.bottom && box.right <= frame.right,
          isWhole: text !== null && text.scrollWidth <= text.clientWidth,
          hasState: chip.querySelector('.sign') !== null,
        };
      }),
    );
    expect(shown).toEqual(
      Array.from({ length: lines }, () => ({
        isOneLine: true,
        isHighEnough: true,
        isInside: true,
        isWhole: true,
        hasState: true,
      })),
    );
    // Six lines, each of which a finger can hit.
    expect((await cell.boundingBox())?.height).toBeLessThan(200);
    await picture(page, `calendar-${count}-posts`);
    await leave();
  });
});

describe('a post in the month', () => {
  it.each([
    [1440, 900],
    [1400, 900],
    [1280, 800],
    [1200, 800],
    [1024, 768],
  ])('shows its status by a symbol, and its failed target before others, at %d × %d', async (width, height) => {
    await world.service.clock.advance({ days: 60 });
    const accounts = await clientOf(world).integrations.list().toArray();
    const failing = accounts.filter(({ authStatus }) => authStatus === 'active').at(-1);
    world.service.accounts.expire(failing?.id ?? '');
    await schedulePost(world, 'To every account', world.service.clock.now() + hourMs);
    await world.service.clock.advance({ hours: 2 });
    const { page, leave } = await visit(browser(), world.url, { viewport: { width, height } });
    const chip = page.getByRole('cell').locator('.chip', { hasText: 'To every account' });
    await chip.waitFor();
    expect(await chip.locator('.sign-partial').count()).toBe(1);
    expect(await chip.locator('.chip-targets > *').first().getAttribute('class')).toContain('target-failed');
    await expect.poll(() => chip.locator('.chip-targets .more').innerText()).toBe(`+${accounts.length - 1}`);
    const outside = await chip.evaluate((element) => {
      const { right } = element.getBoundingClientRect();
      return [...element.querySelectorAll('*')].filter((part) => part.getBoundingClientRect().right > right + 0.5)
        .length;
    });
    expect(outside).toBe(0);
    await picture(page, `month-${width}`);
    await leave();
  });

  it.each([1440, 1400, 1310, 1290, 1200, 1024])('has no part outside of it, at %d pixels', async (width) => {
    const { page, leave } = await visit(browser(), world.url, { viewport: { width, height: 900 } });
    await page.locator('.chip').nth(10).waitFor();
    const outside = await page.locator('.chip').evaluateAll((chips) =>
      chips
        .filter((chip) => {
          const { right } = chip.getBoundingClientRect();
          return [...chip.querySelectorAll('*')].some((part) => part.getBoundingClientRect().right > right + 0.5);
        })
        .map((chip) => chip.textContent),
    );
    expect(outside).toEqual([]);
    await leave();
  });

  it('that has no room is counted, and so are the failed ones among them', async () => {
    await world.service.clock.advance({ days: 60 });
    const now = world.service.clock.now();
    for (let index = 0; index < 9; index += 1) await schedulePost(world, `Post ${index}`, now + index * 60_000 + 1);
    for (const { id } of await clientOf(world).integrations.list().toArray()) world.service.accounts.expire(id);
    await world.service.clock.advance({ hours: 1 });
    const { page, leave } = await visit(browser(), world.url, { viewport: desktop });
    await page
      .getByRole('cell')
      .getByText(/^\+4 more/)
      .waitFor();
    await expect.poll(() => page.getByRole('cell').locator('.more-failed').innerText()).toMatch(/^4/);
    await leave();
  });
});

describe('the chosen day', () => {
  it.each(['light', 'dark'] as const)('does not hide its scheduled posts, in %s', async (colorScheme) => {
    await schedulePost(world, 'The blue one', world.service.clock.now() + hourMs);
    for (const layout of ['month', 'week']) {
      const address = `${world.url}#/calendar?layout=${layout}`;
      const { page, leave } = await visit(browser(), address, { viewport: desktop, colorScheme });
      const chip = page.locator('.chip-scheduled', { hasText: 'The blue one' });
      await chip.waitFor();
      const difference = await chip.evaluate((element) => {
        const colorOf = (part: Element | null): readonly number[] => {
          const color = part === null ? '' : getComputedStyle(part).backgroundColor;
          if (part !== null && /rgba?\(0, 0, 0, 0\)|transparent/.test(color)) return colorOf(part.parentElement);
          return (color.match(/\d+/g) ?? []).map(Number);
        };
        const [own, behind] = [colorOf(element), colorOf(element.parentElement)];
        return Math.max(...own.map((value, index) => Math.abs(value - (behind[index] ?? 0))));
      });
      expect(difference).toBeGreaterThan(16);
      await leave();
    }
  });
});

describe('a row of requests', () => {
  it('names the text or the query of the request, because many have one path', async () => {
    await schedulePost(world, 'The blue one', world.service.clock.now() + hourMs);
    await clientOf(world).posts.list({ status: 'failed' }).toArray();
    const { page, leave } = await visit(browser(), `${world.url}#/requests`);
    await page.getByRole('button', { name: /^POST \/v1\/posts\/ 200 The blue one \d+:\d\d:\d\d$/ }).waitFor();
    await page
      .getByRole('button', { name: /^GET \/v1\/posts\/ 200 \?status=failed\S* \d+:\d\d:\d\d$/ })
      .first()
      .waitFor();
    await leave();
  });
});

describe('a row of posts', () => {
  it.each([desktop, phone])('shows four of seven targets, the failed one first, at %o', async (viewport) => {
    const accounts = await clientOf(world).integrations.list().toArray();
    const platforms = accounts
      .filter(({ authStatus }) => authStatus !== 'expired')
      .map(targetOf)
      .slice(0, 7);
    const last = platforms.at(-1);
    world.service.publishing.outcome({ accountId: last?.accountId ?? '', error: 'Refused' });
    await clientOf(world).posts.create({ content: 'To seven accounts', platforms, publishNow: true });
    await world.service.clock.advance({ minutes: 5 });
    const { page, leave } = await visit(browser(), `${world.url}#/posts?q=seven`, { viewport });
    const row = page.getByRole('button', { name: /To seven accounts/ });
    await row.getByText('+3 more targets').waitFor();
    expect(await row.locator('.target').count()).toBe(4);
    expect(await row.locator('.target').first().getAttribute('title')).toMatch(/: failed$/);
    const outside = await row.evaluate((element) => {
      const frame = element.getBoundingClientRect();
      return [...element.querySelectorAll('.target, .more, .status')].filter((part) => {
        const box = part.getBoundingClientRect();
        return box.left < frame.left || box.right > frame.right || box.bottom > frame.bottom;
      }).length;
    });
    expect(outside).toBe(0);
    await leave();
  });
});

describe('the form of the insights', () => {
  const widthsOf = (page: Page) =>
    Promise.all(
      ['From', 'To'].map(async (label) => (await page.getByLabel(label, { exact: true }).boundingBox())?.width ?? 0),
    );

  it.each([
    [desktop, 200],
    [phone, 180],
  ] as const)('has date fields as wide as a date at %o', async (viewport, most) => {
    const { page, leave } = await visit(browser(), `${world.url}#/analytics`, { viewport });
    await page.getByLabel('From', { exact: true }).waitFor();
    for (const width of await widthsOf(page)) {
      expect(width).toBeLessThan(most);
      expect(width).toBeGreaterThan(130);
    }
    await leave();
  });
});

describe('on a phone', () => {
  it.each([
    ['messages', 'Conversations, the latest first', 'All conversations', 'Send'],
    ['webhooks', 'Deliveries, the latest first', 'All deliveries', 'Deliver again'],
  ] as const)('%s shows the list or the chosen item', async (view, name, back, action) => {
    const { page, leave } = await visit(browser(), `${world.url}#/${view}`, { viewport: phone, hasTouch: true });
    const list = page.getByRole('list', { name });
    const row = list.getByRole('button').nth(2);
    const button = page.getByRole('button', { name: action, exact: true });
    await row.waitFor();
    expect(await button.count()).toBe(0);
    const rowName = (await row.innerText()).replaceAll(/\s+/g, ' ');
    await row.tap();
    await button.waitFor();
    expect(await list.count()).toBe(0);
    await page.getByRole('button', { name: back }).tap();
    await list.waitFor();
    expect(await button.count()).toBe(0);
    await expect.poll(() => focused(page)).toBe(rowName);
    await leave();
  });

  it.each([
    ['messages', 'Conversations, the latest first', 2],
    ['automations', 'Automations', 1],
  ] as const)('a tap in the list of %s leads to the chosen item', async (view, list, index) => {
    const { page, leave } = await visit(browser(), `${world.url}#/${view}`, { viewport: phone, hasTouch: true });
    const row = page.getByRole('list', { name: list }).getByRole('button').nth(index);
    const name = await row.locator('strong').innerText();
    await row.tap();
    const heading = page.getByRole('heading', { name, level: 2 });
    await expect.poll(() => heading.evaluate((element) => element === document.activeElement)).toBe(true);
    expect((await heading.boundingBox())?.y).toBeLessThan(phone.height / 2);
    await leave();
  });
});

describe('the list of accounts', () => {
  it.each([
    [1440, 900, 12, 70],
    [1024, 768, 5, 100],
    [390, 844, 4, 140],
  ] as const)('at %d × %d shows %d accounts without a scroll', async (width, height, accounts, highest) => {
    const { page, leave } = await visit(browser(), `${world.url}#/accounts`, { viewport: { width, height } });
    await page.getByText('Healthy', { exact: true }).first().waitFor();
    const rows = await page
      .locator('.account')
      .evaluateAll((all) => all.map((row) => ({ bottom: row.getBoundingClientRect().bottom, high: row.clientHeight })));
    expect(rows.filter(({ bottom }) => bottom <= height).length).toBeGreaterThanOrEqual(accounts);
    // A row with the reason of a failure is higher.
    expect(rows.filter(({ high }) => high > highest).length).toBeLessThanOrEqual(1);
    await picture(page, `accounts-${width}`);
    await leave();
  });

  it('shows and hides the details of an account with one button, which keeps the focus', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/accounts`, { viewport: desktop });
    const button = page.getByRole('button', { name: 'Details of Pinterest @birchandbean' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByText('Scopes', { exact: true }).waitFor();
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    await expect.poll(() => focused(page)).toMatch(/^Details of Pinterest/);
    await page.getByRole('button', { name: 'Copy ID of Pinterest @birchandbean' }).waitFor();
    await page.getByText(/^not valid/).waitFor();
    await page.getByRole('button', { name: 'Reconnect: Pinterest @birchandbean' }).click();
    await page.getByText(/^valid/).waitFor();
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByText('Scopes', { exact: true }).waitFor({ state: 'detached' });
    expect(await button.getAttribute('aria-expanded')).toBe('false');
    await leave();
  });
});
