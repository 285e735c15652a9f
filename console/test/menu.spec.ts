import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findings } from './support/axe.js';
import { browserForAll, open, phone, picture, visit } from './support/browser.js';
import { focused, hasVisibleFocus, tabTo } from './support/keyboard.js';
import { clientOf, serveWorld, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

const button = (page: Page) => page.getByRole('button', { name: /^Menu/ });
const menu = (page: Page) => page.getByRole('dialog', { name: 'Menu' });
const isExpanded = (page: Page) => page.locator('.menu-button').getAttribute('aria-expanded');

async function openMenu(page: Page): Promise<void> {
  await button(page).click();
  await menu(page).waitFor();
}

const closed = (page: Page) => menu(page).waitFor({ state: 'detached' });

describe('the menu of a narrow page', () => {
  it('counts the failures, and leads to them and to the views', async () => {
    for (let sent = 0; sent < 2; sent += 1)
      await clientOf(world)
        .integrations.get('integration_99')
        .catch(() => undefined);
    const { page, leave } = await visit(browser(), world.url, { viewport: phone, hasTouch: true });
    await page.getByRole('button', { name: 'Menu 2 failures', exact: true }).waitFor();
    expect(await isExpanded(page)).toBe('false');
    await openMenu(page);
    expect(await isExpanded(page)).toBe('true');
    await expect.poll(() => focused(page)).toBe('Calendar');
    await picture(page, 'menu-390');
    await menu(page).getByRole('link', { name: '2 failed', exact: true }).tap();
    await closed(page);
    expect(page.url()).toContain('#/requests?outcome=failed');
    await expect.poll(() => focused(page)).toBe('Requests');
    await open(page, 'Faults');
    await expect.poll(() => focused(page)).toBe('Faults');
    // Back does not open the menu again.
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
    expect(await menu(page).count()).toBe(0);
    await leave();
  });

  it('moves the focus to the heading after a choice of the same view', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts`, { viewport: phone });
    await openMenu(page);
    await page.keyboard.press('Enter');
    await closed(page);
    await expect.poll(() => focused(page)).toBe('Posts');
    await leave();
  });

  it.each([
    ['Escape', (page: Page) => page.keyboard.press('Escape')],
    ['Back', (page: Page) => page.goBack()],
    ['a press beside it', (page: Page) => page.mouse.click(380, 400)],
    ['its button', (page: Page) => menu(page).getByRole('button', { name: 'Close' }).click()],
  ])('%s closes it, and returns the focus', async (_, close) => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts`, { viewport: phone });
    await openMenu(page);
    await close(page);
    await closed(page);
    await expect.poll(() => focused(page)).toMatch(/^Menu/);
    expect(await isExpanded(page)).toBe('false');
    await page.getByRole('heading', { level: 1, name: 'Posts' }).waitFor();
    await leave();
  });

  it('works with the keyboard, and opens the dialogs of the emulator', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts`, { viewport: phone });
    await tabTo(page, /^Menu/);
    await page.keyboard.press('Enter');
    await menu(page).waitFor();
    // The focus stays in the menu or goes to the browser.
    for (let pressed = 0; pressed < 25; pressed += 1) {
      await page.keyboard.press('Tab');
      const place = await page.evaluate(() => document.activeElement?.closest('dialog')?.tagName ?? 'BODY');
      expect(['DIALOG', 'BODY']).toContain(place);
    }
    await tabTo(page, /^Emulator state/);
    await expect.poll(() => hasVisibleFocus(page)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'State of the emulator' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toMatch(/^Menu/);
    await openMenu(page);
    await page.keyboard.press('Control+K');
    await page.getByRole('dialog', { name: 'Search and commands' }).waitFor();
    await leave();
  });

  it('changes the theme', async () => {
    const { page, leave } = await visit(browser(), world.url, { viewport: phone });
    await openMenu(page);
    await menu(page).getByRole('button', { name: 'Theme: system. Change' }).click();
    await menu(page).getByRole('button', { name: 'Theme: light. Change' }).waitFor();
    await leave();
  });

  it('gives way to the navigation of a wide page', async () => {
    const { page, leave } = await visit(browser(), world.url, { viewport: phone });
    await openMenu(page);
    await page.setViewportSize({ width: 1024, height: 768 });
    await closed(page);
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await page.keyboard.press('Control+K');
    await page.getByRole('dialog', { name: 'Search and commands' }).waitFor();
    await page.goBack();
    expect(page.url()).not.toContain('menu');
    await leave();
  });

  it.each([
    [390, 844, 'light', 'none'],
    [320, 568, 'dark', 'none'],
    // 1280 × 1024 pixels at 400 %.
    [320, 256, 'light', 'none'],
    [390, 844, 'light', 'active'],
  ] as const)('reaches each entry at %d × %d in %s, forced colors: %s', async (width, height, scheme, forcedColors) => {
    await clientOf(world)
      .integrations.get('integration_99')
      .catch(() => undefined);
    const { page, leave } = await visit(browser(), `${world.url}#/posts`, {
      viewport: { width, height },
      colorScheme: scheme,
      forcedColors,
    });
    await button(page)
      .and(page.getByRole('button', { name: /1 failure$/ }))
      .waitFor();
    await openMenu(page);
    await picture(page, `menu-${width}-${height}-${scheme}-${forcedColors}`);
    if (forcedColors === 'none') expect(await findings(page)).toEqual([]);
    for (const entry of await menu(page).locator('nav :is(a, button)').all()) {
      await entry.focus();
      const box = await entry.boundingBox();
      const { x = -1, y = -1, width: wide = 0, height: high = 0 } = box ?? {};
      expect(Math.min(wide, high)).toBeGreaterThanOrEqual(32);
      expect(x >= 0 && x + wide <= width && y >= 0 && y + high <= height).toBe(true);
    }
    await leave();
  });
});

/** The parts of the header that overlap, or that are outside of the page. */
const headerFaults = (page: Page) =>
  page.evaluate(() => {
    const parts = [...document.querySelectorAll('.top button, .connection, .menu-view, .clock-lines > *')]
      .filter((part) => part.checkVisibility())
      .map((part) => ({ part, box: part.getBoundingClientRect() }));
    const wide = parts.filter(({ box }) => box.right > document.documentElement.clientWidth);
    const covered = parts.filter(({ part, box }) =>
      parts.some(
        ({ part: other, box: otherBox }) =>
          !part.contains(other) &&
          !other.contains(part) &&
          box.left < otherBox.right - 1 &&
          otherBox.left < box.right - 1 &&
          box.top < otherBox.bottom - 1 &&
          otherBox.top < box.bottom - 1,
      ),
    );
    return [...wide, ...covered].map(({ part }) => part.textContent);
  });

describe('the header of a narrow page', () => {
  it.each([390, 360, 320])('shows the clock as a button, and covers nothing, at %d', async (width) => {
    await world.service.clock.advance({ hours: 12 });
    const { page, leave } = await visit(browser(), `${world.url}#/posts`, { viewport: { width, height: 640 } });
    const clock = page.getByRole('button', { name: /go to a time$/ });
    await expect
      .poll(() => clock.innerText())
      .toMatch(width === 390 ? /^22:00.*paused\s+10 Mar 2027/s : /^22:00\s+10 Mar 2027/);
    expect(await clock.evaluate((element) => getComputedStyle(element).borderTopColor)).not.toBe('rgba(0, 0, 0, 0)');
    expect(await headerFaults(page)).toEqual([]);
    await clock.click();
    // The second press.
    const dialog = page.getByRole('dialog', { name: 'Clock of the emulator' });
    const hour = dialog.getByRole('button', { name: 'Advance by 1 hour' });
    const top = (await dialog.boundingBox())?.y ?? 0;
    expect((await hour.boundingBox())?.y).toBeLessThan(top + 100);
    await dialog.getByRole('button', { name: '10× as fast' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('banner').getByRole('button', { name: 'Pause', exact: true }).waitFor();
    expect(await headerFaults(page)).toEqual([]);
    expect((await page.getByRole('banner').boundingBox())?.height).toBeLessThanOrEqual(56);
    await leave();
  });

  it.each([
    [320, '100%'],
    [390, '150%'],
    [390, '200%'],
    [320, '200%'],
  ])('covers nothing at %d with text of %s, connected and not connected', async (width, size) => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts`, {
      viewport: { width, height: 640 },
      expected: /./,
    });
    await page.evaluate((value) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(`html { font-size: ${value} !important; }`);
      document.adoptedStyleSheets = [sheet];
    }, size);
    expect(await headerFaults(page)).toEqual([]);
    await world.close();
    await page.getByRole('banner').getByText('Not connected').waitFor();
    expect(await headerFaults(page)).toEqual([]);
    await picture(page, `header-${width}-${size.slice(0, 3)}`);
    await leave();
  });
});
