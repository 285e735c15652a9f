import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEmulator, type Emulator } from '../../src/emulator/index.js';
import { serveEmulator, type ServedEmulator } from '../../src/emulator/adapters/node.js';
import { targetOf } from '../../src/index.js';
import { browserForAll, open, phone, picture, visit } from './support/browser.js';
import { focused } from './support/keyboard.js';
import { clientOf, serveWorld, start, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

async function schedule(content: string, count = 1): Promise<void> {
  const client = clientOf(world);
  const platforms = (await client.integrations.list().toArray()).map(targetOf);
  for (let made = 0; made < count; made += 1)
    await client.posts.create({ content, platforms, scheduledFor: new Date(start + 3_600_000) });
}

/** How far the page itself can be scrolled. Only its parts may scroll. */
const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollHeight - document.documentElement.clientHeight);

describe('the page', () => {
  it('does not scroll into emptiness below a long view', async () => {
    const demo = await serveWorld((service) => {
      service.seed.demo();
      service.seed.subscription({ webhook: { url: 'http://127.0.0.1:1/' } });
    });
    const { page, leave } = await visit(browser(), demo.url, { viewport: { width: 1024, height: 700 } });
    for (const view of ['Accounts', 'Automations', 'Webhooks', 'Comments', 'Faults']) {
      await open(page, view);
      await page.waitForTimeout(300);
      expect([view, await overflow(page)]).toEqual([view, 0]);
    }
    await leave();
    await demo.close();
  });

  it('leaves room for the content at a zoom of 400 %', async () => {
    await schedule('Zoomed');
    // 1440 × 900 pixels at 400 %.
    const { page, leave } = await visit(browser(), world.url, { viewport: { width: 360, height: 225 } });
    await open(page, 'Posts');
    expect(await page.locator('main').evaluate((main) => main.clientHeight)).toBeGreaterThan(150);
    await leave();
  });

  it('shows the posts as loading until they are read', async () => {
    const context = await browser().newContext();
    const tab = await context.newPage();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await tab.route('**/v1/posts/**', async (route) => {
      await held;
      await route.continue();
    });
    await tab.goto(world.url);
    await tab.getByRole('heading', { level: 1 }).waitFor();
    await tab.getByText('Loading').first().waitFor();
    expect(await tab.getByText('No posts on this day').count()).toBe(0);
    release();
    await tab.getByText('No posts on this day').waitFor();
    await context.close();
  });

  it('puts no ring around a heading that receives the focus from the navigation', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('link', { name: 'Posts' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('Posts');
    expect(await page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle)).toBe(
      'none',
    );
    expect(await page.getByRole('button', { name: 'Advance by 1 hour' }).count()).toBe(1);
    await leave();
  });
});

describe('the connection', () => {
  let served: ServedEmulator | undefined;
  afterEach(() => served?.close());

  const serve = async (accessKey: string, port = 0): Promise<Emulator> => {
    const service = createEmulator({ accessKey, now: () => start });
    served = await serveEmulator(service, { console: true, port });
    return service;
  };

  it('is reported as lost once, and the page continues with the key of a restarted emulator', async () => {
    await serve('first-key');
    const { url = '', port } = served ?? {};
    const { page, leave } = await visit(browser(), `${url}/`, { expected: /ERR_|Failed to load|401/ });
    await page.getByText('Live', { exact: true }).waitFor();
    await page.evaluate(() => {
      const spoken: string[] = [];
      const status = document.querySelector('.connection');
      if (status === null) throw new Error('There is no status.');
      new MutationObserver(() => spoken.push(status.textContent)).observe(status, {
        subtree: true,
        characterData: true,
        childList: true,
      });
      Object.assign(window, { spoken });
    });
    await served?.close();
    await page.getByText('Not connected').waitFor();
    await page.waitForTimeout(8_000);
    const spoken = await page.evaluate(() => (window as unknown as { spoken: string[] }).spoken);
    expect(spoken.filter((words) => words === 'Not connected')).toHaveLength(1);
    expect(spoken.at(-1)).toBe('Not connected');

    await open(page, 'Webhooks');
    await page.getByText('The emulator does not answer').first().waitFor();
    expect(await page.getByText('No deliveries yet').count()).toBe(0);
    expect(await page.getByText('Failed to fetch').count()).toBe(0);

    const second = await serve('second-key', port ?? 0);
    second.seed.post({ content: 'After the restart' });
    await page.getByText('Live', { exact: true }).waitFor();
    await open(page, 'Posts');
    await page.getByRole('button', { name: /After the restart/ }).waitFor();
    await leave();
  });
});

describe('a dialog', () => {
  it('closes when a reset removes its post, and notices are shown again', async () => {
    await schedule('Soon gone');
    const { page, leave } = await visit(browser(), world.url);
    await open(page, 'Posts');
    await page.getByRole('button', { name: /Soon gone/ }).click();
    await page.getByRole('dialog').waitFor();
    await page.evaluate(() => fetch('./_emulator/reset', { method: 'POST', body: '{"to":"empty"}' }));
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText(/There is no post post_/).waitFor();
    await leave();
  });

  it('closes with the Back button, and the view stays', async () => {
    await schedule('The one behind');
    const { page, leave } = await visit(browser(), world.url);
    await open(page, 'Posts');
    await page.getByRole('button', { name: /The one behind/ }).click();
    await page.getByRole('dialog').waitFor();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('Posts');
    await leave();
  });

  it('keeps a typed post when the backdrop is clicked, and starts at its first field', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('button', { name: 'New post', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'New post' });
    await dialog.waitFor();
    await expect.poll(() => focused(page)).toBe('Content');
    await page.keyboard.type('A thought');
    await page.mouse.click(5, 450);
    await expect.poll(() => dialog.getByLabel('Content').inputValue()).toBe('A thought');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await leave();
  });

  it('refuses an empty post at its field, and moves the focus there', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('button', { name: 'New post', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'New post' });
    await dialog.getByLabel('acme.instagram').check();
    await dialog.getByRole('button', { name: 'Schedule' }).click();
    await dialog.getByText('Write something, or add media.').waitFor();
    await expect.poll(() => focused(page)).toBe('Content');
    expect(await dialog.getByLabel('Content').getAttribute('aria-invalid')).toBe('true');
    expect(world.service.posts).toEqual([]);
    await leave();
  });

  it('does not scroll sideways for a long word', async () => {
    await schedule(`A${'h'.repeat(400)}`);
    world.service.seed.integration({ platform: 'bluesky', username: 'w'.repeat(120) });
    const { page, leave } = await visit(browser(), world.url, { viewport: phone });
    await open(page, 'Posts');
    await page.getByRole('button', { name: /Ahhh/ }).click();
    const wide = () => page.getByRole('dialog').evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth);
    expect(await wide()).toBe(0);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog', { name: /Edit/ }).waitFor();
    expect(await wide()).toBe(0);
    await leave();
  });
});

describe('accounts', () => {
  it('whose token expires by the clock are shown as such, in the composer too', async () => {
    world.service.seed.integration({
      platform: 'bluesky',
      username: 'acme.expiring',
      accessTokenExpiresAt: new Date(start + 3_600_000).toISOString(),
    });
    const { page, leave } = await visit(browser(), world.url);
    await open(page, 'Accounts');
    await page.getByRole('heading', { name: '@acme.expiring' }).waitFor();
    await page.getByRole('button', { name: 'New post', exact: true }).click();
    const choice = page.getByRole('dialog').locator('.choice', { hasText: 'acme.expiring' });
    await choice.waitFor();
    expect(await choice.innerText()).not.toContain('expired');
    await world.service.clock.advance({ hours: 2 });
    await choice.getByText('expired').waitFor();
    await leave();
  });
});

describe('the calendar', () => {
  it.each([1440, 1024])('shows the state of the targets and the count of the others at %d px', async (width) => {
    await schedule('To three accounts');
    const { page, leave } = await visit(browser(), world.url, { viewport: { width, height: 900 } });
    const targets = page.locator('.chip-targets').first();
    await targets.getByText('+2').waitFor();
    expect(await targets.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0);
    const inside = await targets.evaluate((element) => {
      const chip = element.closest('.chip')?.getBoundingClientRect();
      const last = element.lastElementChild?.getBoundingClientRect();
      return chip !== undefined && last !== undefined && last.right <= chip.right;
    });
    expect(inside).toBe(true);
    await picture(page, `calendar-${String(width)}`);
    await leave();
  });
});

describe('on a narrow screen', () => {
  it('the runs of an automation stay readable at 1024 px', async () => {
    const demo = await serveWorld((service) => {
      service.seed.demo();
    });
    const { page, leave } = await visit(browser(), demo.url, { viewport: { width: 1024, height: 900 } });
    await open(page, 'Automations');
    const cell = page.getByRole('region', { name: 'Runs' }).getByRole('cell').first();
    await cell.waitFor();
    // A date in one line, and a whole run in a few.
    const date = cell.getByText(/^\d+ \w+ \d{4}, \d\d:\d\d$/);
    expect((await date.boundingBox())?.height).toBeLessThan(30);
    expect((await cell.boundingBox())?.height).toBeLessThan(160);
    expect((await cell.boundingBox())?.width).toBeGreaterThan(120);
    await leave();
    await demo.close();
  });

  it('selects are as wide as the phone, and a notice does not cover the button of a form', async () => {
    const demo = await serveWorld((service) => {
      service.seed.demo();
    });
    const { page, leave } = await visit(browser(), demo.url, { viewport: phone });
    await open(page, 'Comments');
    expect((await page.getByLabel('Account', { exact: true }).boundingBox())?.width).toBeGreaterThan(300);
    await page.getByRole('button', { name: 'New post', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'New post' });
    await dialog.getByLabel('Content').fill('Short');
    await dialog.getByLabel('As a draft').check();
    await dialog.getByRole('button', { name: 'Save draft' }).click();
    await dialog.waitFor({ state: 'detached' });
    const notice = page.locator('.notice');
    await notice.waitFor();
    // The form is in the main part of the page, which ends above the notice.
    const main = await page.getByRole('main').boundingBox();
    expect((await notice.boundingBox())?.y).toBeGreaterThanOrEqual((main?.y ?? Infinity) + (main?.height ?? 0));
    await leave();
    await demo.close();
  });
});

describe('live lists', () => {
  const send = (count: number) =>
    Promise.all(Array.from({ length: count }, () => clientOf(world).posts.list({ limit: 1 })));

  it('of requests stay where they are while others arrive, and the focus stays on its row', async () => {
    await send(60);
    const { page, leave } = await visit(browser(), world.url);
    await open(page, 'Requests');
    const list = page.locator('.virtual');
    await list.waitFor();
    await list.evaluate((element) => {
      element.scrollTop = 1_200;
    });
    const row = list.locator('[data-row="22"]');
    await row.focus();
    await page.evaluate(() => {
      Object.assign(window, { before: document.activeElement });
    });
    const place = async () => (await page.locator(':focus').boundingBox())?.y;
    const before = await place();
    await send(30);
    await page.getByText('90 requests').waitFor();
    expect(
      await page.evaluate(() => document.activeElement === (window as unknown as { before: Element }).before),
    ).toBe(true);
    expect(Math.abs(((await place()) ?? 0) - (before ?? 0))).toBeLessThan(2);
    await leave();
  });

  it('keep the request that is read, search queries and bodies, and say when nothing matches', async () => {
    await clientOf(world).posts.list({ limit: 7 });
    const { page, leave } = await visit(browser(), world.url);
    await open(page, 'Requests');
    await page.getByRole('region', { name: 'GET /v1/posts/' }).getByText('"limit": "7"').waitFor();
    await send(3);
    await page.getByText('4 requests').waitFor();
    expect(await page.getByRole('region', { name: 'GET /v1/posts/' }).getByText('"limit": "7"').count()).toBe(1);
    const search = page.getByRole('searchbox');
    await search.fill('"limit":"7"');
    await page.getByText('1 of 4 requests').waitFor();
    await search.fill('nothing like it');
    await page.getByText('No match in 4 requests').waitFor();
    expect(await page.locator('.virtual').count()).toBe(0);
    await leave();
  });

  it('show the replies of requests that came before the page was open', async () => {
    await clientOf(world).integrations.list();
    const { page, leave } = await visit(browser(), world.url);
    await open(page, 'Requests');
    const panel = page.getByRole('region', { name: 'GET /v1/connect/integrations' });
    await expect.poll(() => panel.getByRole('region', { name: 'Reply body' }).innerText()).toContain('acme.tiktok');
    await leave();
  });

  it('isolate text that runs from right to left', async () => {
    await schedule('שלום (1)');
    const { page, leave } = await visit(browser(), world.url);
    await open(page, 'Posts');
    const text = page.locator('.post-text');
    await expect.poll(() => text.innerText()).toBe('שלום (1)');
    expect(await text.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
    await leave();
  });
});

describe('forms', () => {
  it('refuse an automation without keywords and without answers, each at its field', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await open(page, 'Automations');
    await page.getByRole('button', { name: 'Create' }).click();
    await expect.poll(() => focused(page)).toBe('Keywords');
    expect(await page.getByLabel('Keywords').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Keywords').fill('guide');
    await page.getByRole('button', { name: 'Create' }).click();
    await expect.poll(() => focused(page)).toBe('Public replies');
    await page.getByText('Without both, it answers nothing').waitFor();
    expect(await clientOf(world).automations.list()).toEqual([]);
    await leave();
  });

  it('clear the requests only after a second press', async () => {
    await clientOf(world).posts.list();
    const { page, leave } = await visit(browser(), world.url);
    await open(page, 'Requests');
    await page.getByRole('button', { name: 'Clear requests' }).click();
    expect(world.service.requests.length).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await expect.poll(() => world.service.requests.length).toBe(0);
    await leave();
  });
});
