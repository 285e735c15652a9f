import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserForAll, visit } from './support/browser.js';
import { schedulePost, serveWorld, start, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
const hourMs = 3_600_000;
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
  await schedulePost(world, 'The blue one', start + 49 * hourMs);
});

afterEach(() => world.close());

describe('the day in the address', () => {
  it.each(['2026-99-99', '2027-02-30', 'foo', '0000-12-31', '10000-01-01'])(
    'is removed if the calendar cannot show it: %s',
    async (day) => {
      const { page, leave } = await visit(browser(), `${world.url}#/calendar?layout=week&day=${day}`);
      await page.getByRole('heading', { level: 1, name: '8 Mar – 14 Mar 2027' }).waitFor();
      await expect.poll(() => new URL(page.url()).hash).toBe('#/calendar?layout=week');
      await leave();
    },
  );

  it.each([
    ['9999-12-31', 'Next month', 'December 9999'],
    ['0001-01-01', 'Previous month', 'January 1'],
  ])('is at most %s', async (day, button, title) => {
    const { page, leave } = await visit(browser(), `${world.url}#/calendar?day=${day}`);
    const heading = page.getByRole('heading', { level: 1, name: title });
    await heading.waitFor();
    await page.getByRole('button', { name: button }).click();
    await heading.waitFor();
    expect(new URL(page.url()).hash).toBe(`#/calendar?day=${day}`);
    await leave();
  });
});

describe('a new post', () => {
  it.each(['week', 'agenda'])('is for the day with the focus, in the %s', async (layout) => {
    const { page, leave } = await visit(browser(), `${world.url}#/calendar?layout=${layout}`);
    await page
      .getByRole('main')
      .getByRole('button', { name: /The blue one/ })
      .focus();
    await page.keyboard.press('n');
    const time = page.getByRole('dialog', { name: 'New post' }).getByLabel('Time', { exact: true });
    await expect.poll(() => time.inputValue()).toBe('2027-03-12T09:00');
    await leave();
  });

  it('is for the chosen day, from the header and from Ctrl+K', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/calendar?day=2027-03-20`);
    const time = page.getByRole('dialog', { name: 'New post' }).getByLabel('Time', { exact: true });
    await page.getByRole('banner').getByRole('button', { name: 'New post' }).click();
    await expect.poll(() => time.inputValue()).toBe('2027-03-20T09:00');
    await page.keyboard.press('Escape');
    await time.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+K');
    await page.keyboard.type('new post');
    await page.keyboard.press('Enter');
    await expect.poll(() => time.inputValue()).toBe('2027-03-20T09:00');
    await leave();
  });

  it('warns at its time if that is past by the emulator clock', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts?compose=any`);
    const dialog = page.getByRole('dialog', { name: 'New post' });
    const time = dialog.getByLabel('Time', { exact: true });
    const warning = dialog.getByText('That time is past: the post is published when the clock moves.');
    await time.waitFor();
    expect(await warning.count()).toBe(0);
    await time.fill('2020-01-01T08:00');
    await warning.waitFor();
    const hint = await time.getAttribute('aria-describedby');
    await expect.poll(() => page.locator(`#${hint ?? ''}`).innerText()).toContain('That time is past');
    await time.fill('2027-03-11T08:00');
    await warning.waitFor({ state: 'detached' });
    const state = () => world.service.posts.find(({ content }) => content === 'A late one')?.status;
    await dialog.getByLabel('Content').fill('A late one');
    await dialog.getByLabel('acme.facebook').check();
    await time.fill('2020-01-01T08:00');
    await page.keyboard.press('Control+Enter');
    await dialog.getByRole('button', { name: 'Confirm: the time is past' }).waitFor();
    expect(state()).toBeUndefined();
    // Another time needs another confirmation, and an empty field needs none.
    const armed = dialog.locator('.button-danger');
    expect(await armed.count()).toBe(1);
    await time.fill('');
    await page.keyboard.press('Control+Enter');
    await dialog.locator('[aria-invalid=true]').waitFor();
    expect(await armed.count()).toBe(0);
    await time.fill('2020-01-02T08:00');
    await page.keyboard.press('Control+Enter');
    await armed.waitFor();
    await time.fill('2020-01-01T08:00');
    expect(await armed.count()).toBe(0);
    await page.keyboard.press('Control+Enter');
    await armed.waitFor();
    expect(state()).toBeUndefined();
    await page.keyboard.press('Control+Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(state()).toBe('scheduled');
    await world.service.clock.advance({ seconds: 1 });
    expect(state()).toBe('published');
    await leave();
  });
});
