import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserForAll, open, phone, visit } from './support/browser.js';
import { focused } from './support/keyboard.js';
import { clientOf, serveWorld, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

const desktop = { width: 1440, height: 700 };

describe('the layout', () => {
  it('keeps the heading of a dialog in view: hidden texts do not extend the dialog', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/calendar?tool=connection`, { viewport: desktop });
    const dialog = page.getByRole('dialog', { name: 'Connect a program' });
    await dialog.waitFor();
    const heights = () => dialog.evaluate(({ scrollHeight, clientHeight }) => [scrollHeight, clientHeight] as const);
    const [scrolled, shown] = await heights();
    expect(scrolled).toBe(shown);
    await leave();
  });

  it.each([desktop, phone])('breaks a long display name of an account at %o', async (viewport) => {
    world.service.seed.integration({ platform: 'bluesky', username: 'long', displayName: 'W'.repeat(150) });
    const { page, leave } = await visit(browser(), `${world.url}#/accounts`, { viewport });
    await page.getByRole('heading', { name: '@long' }).waitFor();
    const wider = await page.evaluate(() =>
      [...document.querySelectorAll('main, .account, .account-name > *')]
        .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth)
        .map(({ className }) => className),
    );
    expect(wider).toEqual([]);
    await leave();
  });

  it.each([
    ['desktop', desktop, 24],
    ['phone', phone, 32],
  ] as const)('makes the numbers of failures high enough to hit on a %s', async (_, viewport, height) => {
    await clientOf(world)
      .integrations.get('integration_99')
      .catch(() => undefined);
    const { page, leave } = await visit(browser(), world.url, { viewport });
    const menu = page.getByRole('button', { name: 'Menu 1 failure' });
    if (viewport === phone) await menu.click();
    const box = await page.getByRole('link', { name: '1 failed', exact: true }).boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(height);
    expect(box?.width).toBeGreaterThanOrEqual(24);
    await leave();
  });
});

describe('a window that is a little wider than a phone', () => {
  it.each([725, 760, 900])('cuts no filter at %d, and the header has at most two rows', async (width) => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts`, { viewport: { width, height: 700 } });
    await page.getByLabel('Sort by').waitFor();
    expect(await page.evaluate(() => document.querySelector('main')?.scrollWidth)).toBeLessThan(width - 200);
    const filter = await page.getByLabel('Sort by').boundingBox();
    expect((filter?.x ?? 0) + (filter?.width ?? 0)).toBeLessThanOrEqual(width);
    expect((await page.getByRole('banner').boundingBox())?.height).toBeLessThanOrEqual(90);
    await leave();
  });
});

describe('on a phone', () => {
  it('shows the details of a request after a tap, and moves the focus there', async () => {
    for (let sent = 0; sent < 12; sent += 1) await clientOf(world).integrations.list().toArray();
    const { page, leave } = await visit(browser(), world.url, { viewport: phone, hasTouch: true });
    await open(page, 'Requests');
    await page
      .getByRole('list', { name: /^Requests/ })
      .getByRole('button')
      .nth(2)
      .tap();
    await expect.poll(() => focused(page)).toBe('GET /v1/connect/integrations');
    const panel = page.getByRole('region', { name: /^GET/ });
    await expect.poll(async () => (await panel.boundingBox())?.y ?? 9_999).toBeLessThan(phone.height / 2);
    await leave();
  });

  it('shows the details of a delivery after a tap', async () => {
    world.service.seed.subscription({ webhook: { url: 'http://127.0.0.1:1/' } });
    const accounts = await clientOf(world).integrations.list({ platform: 'instagram' }).toArray();
    for (let sent = 0; sent < 8; sent += 1)
      await clientOf(world).posts.create({
        content: `Post ${sent}`,
        platforms: accounts.map(({ id }) => ({ platform: 'instagram', accountId: id })),
        publishNow: true,
      });
    await world.service.clock.advance({ minutes: 10 });
    const { page, leave } = await visit(browser(), world.url, { viewport: phone, hasTouch: true });
    await open(page, 'Webhooks');
    await page
      .getByRole('list', { name: /^Deliveries/ })
      .getByRole('button')
      .nth(1)
      .tap();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H2');
    await expect.poll(() => focused(page)).toMatch(/^post\./);
    await leave();
  });
});

describe('with forced colours', () => {
  it('outlines what is chosen, and shows the connection', async () => {
    const { page, leave } = await visit(browser(), world.url, { viewport: desktop, forcedColors: 'active' });
    const outline = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).outline);
    for (const selector of ['[aria-current=page]', '[aria-pressed=true]', '.day-chosen', '.day-today .day-number'])
      expect({ selector, outline: await outline(selector) }).toMatchObject({
        outline: expect.stringMatching(/solid 2px/) as string,
      });
    const colours = await page.locator('.dot').evaluate((dot) => {
      const { backgroundColor } = getComputedStyle(dot);
      return [backgroundColor, getComputedStyle(document.body).color];
    });
    expect(colours[0]).toBe(colours[1]);
    await leave();
  });
});

describe('with forced colours', () => {
  it('shows symbols in the colour of the text', async () => {
    world.service.seed.post({
      content: 'The red one',
      status: 'failed',
      platforms: [{ platform: 'tiktok', status: 'failed' }],
    });
    const { page, leave } = await visit(browser(), `${world.url}#/posts`, { forcedColors: 'active' });
    const icon = page.locator('.status-failed > .icon, .target-failed > .icon').first();
    await icon.waitFor({ state: 'attached' });
    expect(await icon.evaluate((element) => getComputedStyle(element).color)).toBe(
      await page.evaluate(() => getComputedStyle(document.body).color),
    );
    await leave();
  });
});

describe('the form for a post', () => {
  it.each([
    [1024, 700],
    [390, 640],
  ])('at %d × %d keeps its button and its problem in sight, and covers no focused field', async (width, height) => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts?compose=new`, {
      viewport: { width, height },
      expected: /503/,
    });
    const dialog = page.getByRole('dialog', { name: 'New post' });
    await dialog.getByLabel('Content').fill('Line\n'.repeat(12));
    const submit = dialog.getByRole('button', { name: 'Schedule' });
    expect((await submit.boundingBox())?.y).toBeLessThan(height - 40);
    for (const field of [
      dialog.getByRole('radio').first(),
      dialog.getByLabel('Media'),
      ...(await dialog.getByRole('checkbox').all()),
    ]) {
      await field.focus();
      const [bottom, top] = await field.evaluate((element) => [
        element.getBoundingClientRect().bottom,
        element.closest('form')?.querySelector('.form-foot')?.getBoundingClientRect().top ?? 0,
      ]);
      expect(bottom).toBeLessThanOrEqual(top);
    }
    await dialog.getByRole('button', { name: 'Select all' }).click();
    world.service.faults.add({ kind: 'status', status: 503 });
    await submit.click();
    const problem = dialog.getByRole('alert');
    await problem.waitFor();
    const box = await problem.boundingBox();
    expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThan(height - 40);
    await leave();
  });
});
