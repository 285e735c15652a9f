import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserForAll, open, phone, picture, visit } from './support/browser.js';
import { focused } from './support/keyboard.js';
import { schedulePost, serveWorld, start, type World } from './support/world.js';

const views = ['accounts', 'comments', 'messages', 'automations', 'analytics', 'webhooks', 'requests', 'faults'];

const browser = browserForAll();
let world: World;

beforeAll(async () => {
  world = await serveWorld((service) => {
    service.seed.demo();
  });
});

afterAll(() => world.close());

/** Remembers how much of the page moves while it loads. */
async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      // The type of the entry is not in the DOM's types.
      for (const entry of list.getEntries()) shifts.push((entry as unknown as { readonly value: number }).value);
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

describe('on a phone', () => {
  it.each(views)('%s does not jump while it loads', async (view) => {
    const { page, leave } = await visit(browser(), `${world.url}#/calendar`, { viewport: phone, hasTouch: true });
    await watchShifts(page);
    await page.goto(`${world.url}#/${view}`);
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForTimeout(800);
    const moved = await page.evaluate(() =>
      (window as unknown as { readonly shifts: readonly number[] }).shifts.reduce((sum, value) => sum + value, 0),
    );
    const scrolled = await page.evaluate(() => document.querySelector('main')?.scrollTop);
    // Google calls a sum below 0.1 good.
    expect({ view, isStill: moved < 0.1, scrolled }).toEqual({ view, isStill: true, scrolled: 0 });
    await leave();
  });

  it('Webhooks shows its subscriptions before its form', async () => {
    const [content, form] = ['Subscriptions', 'Subscribe'];
    const { page, leave } = await visit(browser(), world.url, { viewport: phone, hasTouch: true });
    await open(page, 'Webhooks');
    await page.getByRole('button', { name: /^Subscriptions/ }).tap();
    const top = async (name: string) =>
      (await page.locator('main').getByText(name, { exact: true }).first().boundingBox())?.y ?? 0;
    await page.locator('main').getByText(form, { exact: true }).first().waitFor();
    expect(await top(content)).toBeLessThan(await top(form));
    await leave();
  });

  it('Messages shows its conversations, and the form for a new one in their place', async () => {
    const { page, leave } = await visit(browser(), world.url, { viewport: phone, hasTouch: true });
    await open(page, 'Messages');
    const form = page.getByRole('region', { name: 'New conversation' });
    const rows = page.getByRole('list', { name: /^Conversations/ }).getByRole('button');
    await rows.first().waitFor();
    expect(await form.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'New conversation' }).tap();
    await form.waitFor();
    await expect.poll(() => focused(page)).toBe('A customer writes');
    expect(await rows.first().isVisible()).toBe(false);
    await page.getByRole('button', { name: 'All conversations' }).tap();
    await rows.first().waitFor();
    await leave();
  });
});

describe('an empty emulator', () => {
  it.each([phone, { width: 320, height: 568 }])('shows its first steps in the calendar, at %o', async (viewport) => {
    const empty = await serveWorld(() => undefined);
    const { page, leave } = await visit(browser(), `${empty.url}#/calendar`, { viewport, hasTouch: true });
    await page.getByRole('button', { name: 'Load the demo' }).waitFor();
    await page.waitForTimeout(300);
    expect(await page.evaluate(() => document.querySelector('main')?.scrollTop)).toBe(0);
    await leave();
    await empty.close();
  });
});

describe('a target of a finger', () => {
  it.each([...views.map((view) => `#/${view}`), '#/posts', '#/posts?tool=state', '#/posts?tool=clock'])(
    'is at least 36 px high in %s',
    async (path) => {
      const { page, leave } = await visit(browser(), `${world.url}${path}`, { viewport: phone, hasTouch: true });
      await page.waitForTimeout(400);
      const small = await page.evaluate(() => {
        const scope = document.querySelector('dialog[open]') ?? document.body;
        return [...scope.querySelectorAll('.button, input, select, summary')]
          .filter((target) => target.checkVisibility() && target.closest('.calendar-month') === null)
          .map((target) => ({ target, box: (target.closest('label.choice') ?? target).getBoundingClientRect() }))
          .filter(({ box }) => box.height < 36 || box.width < 36)
          .map(({ target, box }) => `${target.textContent} ${box.width} × ${box.height}`);
      });
      expect(small).toEqual([]);
      await leave();
    },
  );
});

describe('the header', () => {
  it.each([phone, { width: 320, height: 640 }])('leaves the screen to the view, at %o', async (viewport) => {
    const { page, leave } = await visit(browser(), world.url, { viewport, hasTouch: true });
    const main = await page.getByRole('main').boundingBox();
    expect(main?.y).toBeLessThanOrEqual(56);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
    for (const name of [/^Menu/, /go to a time$/, 'Run', /^Step/, 'New post']) {
      const box = await page.getByRole('banner').getByRole('button', { name, exact: true }).first().boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(40);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(viewport.width);
    }
    const before = world.service.clock.now();
    await page.getByRole('button', { name: /go to a time$/ }).click();
    const clock = page.getByRole('dialog', { name: 'Clock of the emulator' });
    await clock.getByRole('button', { name: 'Advance by 1 hour' }).click();
    await expect.poll(() => world.service.clock.now()).toBe(before + 3_600_000);
    await clock.getByRole('button', { name: /^Time zone/ }).click();
    await clock
      .getByText(/ in UTC\./)
      .first()
      .waitFor();
    await clock.getByRole('button', { name: '10× as fast' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('banner').getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByRole('banner').getByRole('button', { name: 'Run', exact: true }).waitFor();
    await leave();
  });
});

describe('a notice in a dialog', () => {
  it.each([phone, { width: 1440, height: 900 }, { width: 1024, height: 700 }])(
    'covers nothing, at %o',
    async (viewport) => {
      const { page, leave } = await visit(browser(), `${world.url}#/posts?tool=connection`, { viewport });
      const dialog = page.getByRole('dialog');
      await page.evaluate(() => {
        Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.resolve() } });
      });
      await dialog.getByRole('button', { name: 'Copy Base URL' }).click();
      await dialog.locator('.notice').waitFor();
      await picture(page, `notice-dialog-${viewport.width}`);
      const covered = await dialog.evaluate((element) => {
        const notice = element.querySelector('.notice')?.getBoundingClientRect();
        if (notice === undefined) return ['no notice'];
        const frame = element.getBoundingClientRect();
        return [...element.querySelectorAll('h2, .code-head, pre, .button')]
          .filter((part) => part.closest('.notice') === null)
          .filter((part) => {
            const box = part.getBoundingClientRect();
            const [top, bottom] = [Math.max(box.top, notice.bottom), Math.min(box.bottom, frame.bottom)];
            const isBeside = box.right <= notice.left || box.left >= notice.right;
            return !isBeside && box.top < notice.bottom && box.bottom > notice.top && top < bottom;
          })
          .map((part) => part.textContent);
      });
      expect(covered).toEqual([]);
      await leave();
    },
  );
});

describe('a notice', () => {
  it.each([phone, { width: 1440, height: 900 }, { width: 1024, height: 700 }])(
    'does not cover the button that sends a form, at %o',
    async (viewport) => {
      const { page, leave } = await visit(browser(), `${world.url}#/faults`, { viewport });
      const button = page
        .getByRole('form', { name: 'Add a rule for requests' })
        .getByRole('button', { name: 'Add rule' });
      await button.click();
      const notice = page.locator('.notice').first();
      await notice.waitFor();
      await picture(page, `notice-${viewport.width}`);
      // The new rule above the form moves the button down.
      await button.scrollIntoViewIfNeeded();
      const [a, b] = [await notice.boundingBox(), await button.boundingBox()];
      if (a === null || b === null) throw new Error('Both are shown.');
      expect(a.y + a.height <= b.y || a.y >= b.y + b.height || a.x + a.width <= b.x || a.x >= b.x + b.width).toBe(true);
      await leave();
      world.service.faults.clear();
    },
  );
});

describe('two notices', () => {
  it.each([
    { width: 1440, height: 900 },
    { width: 1024, height: 768 },
  ])('do not cover the buttons of the calendar, at %o', async (viewport) => {
    await schedulePost(world, 'The blue one', start + 26 * 3_600_000);
    const { page, leave } = await visit(browser(), `${world.url}#/accounts`, { viewport });
    // Two accounts: notices about the same one replace each other.
    const expire = page.getByRole('button', { name: /^Expire token/ });
    await expire.first().click();
    await expire.last().click();
    await expect.poll(() => page.locator('.notice').count()).toBe(2);
    await open(page, 'Calendar');
    const week = page.getByRole('button', { name: 'Week', exact: true });
    await week.click({ timeout: 2_000 });
    await picture(page, `notices-${viewport.width}`);
    expect(await page.locator('.notice').count()).toBe(2);
    await leave();
  });
});

describe('analytics', () => {
  it('names metrics readably, marks days without data, and gives each total a scale of its own', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/analytics`);
    await page.getByRole('button', { name: /^Read insights/ }).click();
    await page.getByRole('img', { name: /^Reach by day: 30 days, 3 of them without data/ }).waitFor();
    expect(await page.locator('.line-gap').count()).toBe(1);
    await page.getByText('Accounts engaged').waitFor();
    await page.getByRole('button', { name: /^Read posts/ }).click();
    await page.getByRole('columnheader', { name: 'Impressions' }).waitFor();
    await picture(page, 'analytics-gaps');
    expect(await page.locator('main').innerText()).not.toMatch(/[a-z]_[a-z]|not given/);
    await leave();
  });
});

describe('a long list on a phone', () => {
  it('scrolls with the page, shows why posts failed, and is reached by the keyboard', async () => {
    const many = await serveWorld((service) => {
      const { id: accountId } = service.seed.integration({ platform: 'facebook', username: 'acme' });
      service.publishing.outcome({ platform: 'facebook', error: 'The page is gone' });
      for (let index = 0; index < 300; index += 1)
        service.seed.post({
          content: `Post ${index}`,
          status: 'scheduled',
          scheduledFor: new Date(start + 60_000).toISOString(),
          platforms: [{ platform: 'facebook', accountId }],
        });
    });
    await many.service.clock.advance({ hours: 1 });
    const { page, leave } = await visit(browser(), `${many.url}#/posts`, { viewport: phone, hasTouch: true });
    const list = page.getByRole('list', { name: 'Posts' });
    await list.getByText('The page is gone').first().waitFor();
    const scrolling = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('*')]
          .filter((part) => part.scrollHeight > part.clientHeight && getComputedStyle(part).overflowY === 'auto')
          .map(({ tagName }) => tagName),
      );
    expect(await scrolling()).toEqual(['MAIN']);
    await page.locator('main').evaluate((main) => {
      main.scrollTop = 9_000;
    });
    const inSight = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('[data-row]')]
          .filter((row) => row.getBoundingClientRect().bottom > 60 && row.getBoundingClientRect().top < innerHeight)
          .map((row) => Number((row as HTMLElement).dataset['row'])),
      );
    await expect.poll(async () => (await inSight())[0] ?? 0).toBeGreaterThan(60);
    await list.locator('[tabindex="0"]').focus();
    await page.keyboard.press('End');
    await expect.poll(async () => (await inSight()).at(-1)).toBe(299);
    await page.keyboard.press('Home');
    await expect.poll(async () => (await inSight())[0]).toBe(0);
    await leave();
    await many.close();
  });
});
