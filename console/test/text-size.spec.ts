import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserForAll, open, phone, picture, visit } from './support/browser.js';
import { clientOf, serveWorld, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeAll(async () => {
  world = await serveWorld((service) => {
    service.seed.demo();
  });
  for (let sent = 0; sent < 30; sent += 1) await clientOf(world).integrations.list().toArray();
});

afterAll(() => world.close());

/** Sets the size of text in the settings of the browser. */
async function setBrowserText(page: Page, pixels: number): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Page.setFontSizes', { fontSizes: { standard: pixels } });
}

/** Sets the size of text as a style sheet of the user. */
async function setHtmlText(page: Page, size: string): Promise<void> {
  await page.evaluate((value) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`html { font-size: ${value} !important; }`);
    document.adoptedStyleSheets = [sheet];
  }, size);
}

const textSize = (page: Page) =>
  page.locator('.about').evaluate((element) => parseFloat(getComputedStyle(element).fontSize));

/** Returns the gaps between the drawn rows of a list, and the rows outside of the list's height. */
const rowFaults = (page: Page) =>
  page.locator('.virtual').evaluate((list) => {
    const boxes = [...list.querySelectorAll('li')].map((row) => row.getBoundingClientRect());
    const frame = list.getBoundingClientRect();
    const [first, last] = [boxes[0], boxes.at(-1)];
    return {
      isCovered:
        first !== undefined && last !== undefined && first.top <= frame.top + 2 && last.bottom >= frame.bottom - 2,
      clipped: [...list.querySelectorAll('.row')].filter((row) => row.scrollHeight > row.clientHeight + 1).length,
    };
  });

describe('text of 200 %', () => {
  it('breaks no word of the menu on a phone but the longest', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts`, { viewport: phone });
    await setHtmlText(page, '200%');
    await page.getByRole('button', { name: /^Menu/ }).click();
    for (const name of ['Calendar', 'Posts', 'Comments', 'Messages', 'Faults']) {
      const link = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name, exact: true });
      expect((await link.boundingBox())?.height).toBeLessThan(100);
    }
    await leave();
  });

  it.each(['posts?status=problem', 'comments', 'requests', 'webhooks', 'calendar?layout=agenda&day=2027-03-10'])(
    'on a phone, no part of a row covers another row: %s',
    async (path) => {
      const { page, leave } = await visit(browser(), `${world.url}#/${path}`, { viewport: phone });
      await page.locator('[data-row]').first().waitFor();
      for (const size of ['130%', '150%', '200%']) {
        await setHtmlText(page, size);
        const overflowing = () =>
          page.locator('.row').evaluateAll((rows) =>
            rows.flatMap((row) => {
              const { top, bottom } = row.getBoundingClientRect();
              return [...row.querySelectorAll('*')].flatMap((part) => {
                const box = part.getBoundingClientRect();
                // A text of one line hides its other lines.
                const isShown = getComputedStyle(part.parentElement ?? part).overflow === 'visible' && box.width > 1;
                return isShown && (box.top < top - 1 || box.bottom > bottom + 1) ? [part.outerHTML.slice(0, 80)] : [];
              });
            }),
          );
        await expect.poll(overflowing, { message: size }).toEqual([]);
      }
      await leave();
    },
  );

  it.each([
    ['in the settings of the browser', (page: Page) => setBrowserText(page, 32)],
    ['by a style sheet of the user', (page: Page) => setHtmlText(page, '200%')],
  ])('%s makes a wide page look like a narrow one', async (_, enlarge) => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts`);
    const before = await textSize(page);
    await enlarge(page);
    // As on a phone: the navigation is in the menu, the clock has fewer buttons, and rows have three lines.
    await page.getByRole('navigation', { name: 'Views' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Menu/ }).waitFor();
    await page.getByRole('banner').getByRole('button', { name: '10× as fast' }).waitFor({ state: 'detached' });
    expect(await textSize(page)).toBeGreaterThan(before * 1.9);
    const time = await page.locator('.post-time').first().boundingBox();
    const text = await page.locator('.post-text').first().boundingBox();
    expect(text?.y).toBeGreaterThan((time?.y ?? 0) + 20);
    await picture(page, 'text-200-posts');
    for (const view of ['Calendar', 'Posts', 'Requests', 'Webhooks']) {
      await open(page, view);
      await page.waitForTimeout(200);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect({ view, width }).toEqual({ view, width: 1440 });
    }
    await leave();
  });

  it('scrolls no dialog sideways on a phone, and covers no word of the menu on a wide page', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts?compose=any`, { viewport: phone });
    await setHtmlText(page, '200%');
    const dialog = page.getByRole('dialog', { name: 'New post' });
    const sideways = () =>
      dialog.evaluate((element) =>
        [element, ...element.querySelectorAll('.dialog-body, .form-fields')].map(
          (part) => part.scrollWidth - part.clientWidth,
        ),
      );
    await expect.poll(sideways).toEqual([0, 0, 0]);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1440, height: 900 });
    const [word, count] = await Promise.all([
      page.locator('.menu-view').boundingBox(),
      page.locator('.menu-count').boundingBox(),
    ]);
    expect(count?.x).toBeGreaterThanOrEqual((word?.x ?? Infinity) + (word?.width ?? 0));
    await leave();
  });

  it('keeps the rows of a scrolled list at their place, and End reaches the last row', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts`);
    const rows = page.getByRole('list', { name: 'Posts' }).getByRole('button');
    await rows.first().waitFor();
    await page.locator('.virtual').evaluate((list) => {
      list.scrollTop = list.scrollHeight / 2;
    });
    await page.waitForTimeout(200);
    await setBrowserText(page, 24);
    await page.waitForTimeout(400);
    expect(await rowFaults(page)).toEqual({ isCovered: true, clipped: 0 });
    await rows.first().focus();
    await page.keyboard.press('End');
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest('li')?.ariaPosInSet)).toBe('60');
    expect(await rowFaults(page)).toEqual({ isCovered: true, clipped: 0 });
    await leave();
  });
});

describe('a page of 1440 × 900', () => {
  it.each([
    ['Posts', 'Posts'],
    ['Requests', /^Requests/],
  ] as const)('shows at least 13 rows in %s', async (view, name) => {
    const { page, leave } = await visit(browser(), world.url);
    await open(page, view);
    await page.getByRole('list', { name }).getByRole('button').nth(12).waitFor();
    const visible = await page.locator('.virtual').evaluate((list) => {
      const { bottom } = list.getBoundingClientRect();
      return [...list.querySelectorAll('li')].filter((row) => row.getBoundingClientRect().bottom <= bottom).length;
    });
    expect(visible).toBeGreaterThanOrEqual(13);
    await leave();
  });
});
