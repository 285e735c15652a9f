import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserForAll, visit } from './support/browser.js';
import { focused, tabTo } from './support/keyboard.js';
import { schedulePost, serveWorld, start, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
const hourMs = 3_600_000;
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
  await schedulePost(world, 'The blue one');
  await schedulePost(world, 'The red one', start + 2 * hourMs);
  await schedulePost(world, 'The far one', start + 9 * 24 * hourMs);
});

afterEach(() => world.close());

const timeOf = (content: string) => world.service.posts.find((post) => post.content === content)?.scheduledFor;

describe('the calendar by the keyboard', () => {
  it('moves a post by a day with three keys: t, Enter, Shift and an arrow', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('cell').getByText('The blue one').waitFor();
    await page.keyboard.press('t');
    await expect.poll(() => focused(page)).toMatch(/^Wednesday,? 10 March 2027, 2 posts/);
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toMatch(/^10 Mar 2027, 11:00.*The blue one/);
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(() => timeOf('The blue one')).toBe('2027-03-11T10:00:00.000Z');
    await expect.poll(() => focused(page)).toMatch(/^11 Mar 2027, 11:00.*The blue one/);
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toMatch(/^Thursday,? 11 March 2027, 1 post/);
    await leave();
  });

  it('writes a post for the chosen day with n, and for the next hour on a day without a choice', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('cell').getByText('The blue one').waitFor();
    const time = page.getByRole('dialog', { name: 'New post' }).getByLabel('Time', { exact: true });
    await page.keyboard.press('n');
    await expect.poll(() => time.inputValue()).toBe('2027-03-10T11:00');
    await page.keyboard.press('Escape');
    await page.keyboard.press('t');
    await expect.poll(() => focused(page)).toMatch(/^Wednesday/);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => focused(page)).toMatch(/^Thursday/);
    await page.keyboard.press('n');
    await expect.poll(() => time.inputValue()).toBe('2027-03-11T09:00');
    await leave();
  });

  it('moves between the posts of a day with arrows: they are one Tab stop', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('cell').getByText('The blue one').waitFor();
    await page.keyboard.press('t');
    await expect.poll(() => focused(page)).toMatch(/^Wednesday/);
    await tabTo(page, /The blue one/);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page)).toMatch(/The red one/);
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(() => timeOf('The red one')).toBe('2027-03-11T11:00:00.000Z');
    expect(timeOf('The blue one')).toBe('2027-03-10T10:00:00.000Z');
    await page.keyboard.press('Shift+ArrowLeft');
    await expect.poll(() => focused(page)).toMatch(/^10 Mar 2027, 12:00.*The red one/);
    await page.keyboard.press('Tab');
    await expect.poll(() => focused(page)).toBe('New post on this day');
    await leave();
  });

  it('moves between the posts of a week with arrows, from the button of today', async () => {
    await schedulePost(world, 'The late one', start + 50 * hourMs);
    const { page, leave } = await visit(browser(), `${world.url}#/calendar?layout=week`);
    const posts = page.getByRole('list', { name: 'Days of the week' }).locator('[data-post]');
    await posts.nth(2).waitFor();
    expect(await posts.and(page.locator('[tabindex="0"]')).count()).toBe(1);
    await page.keyboard.press('t');
    await expect.poll(() => focused(page)).toMatch(/^New post on Wednesday,? 10 March/);
    await page.keyboard.press('Tab');
    await expect.poll(() => focused(page)).toMatch(/The blue one/);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page)).toMatch(/The red one/);
    // Thursday has no posts, and Friday has one.
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => focused(page)).toMatch(/The late one/);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => focused(page)).toMatch(/The blue one/);
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(() => timeOf('The blue one')).toBe('2027-03-11T10:00:00.000Z');
    await expect.poll(() => focused(page)).toMatch(/The blue one/);
    await leave();
  });

  it('goes from a day without posts to the button for a new one', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.keyboard.press('t');
    await expect.poll(() => focused(page)).toMatch(/^Wednesday,? 10 March/);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => focused(page)).toMatch(/^Thursday,? 11 March/);
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('New post on this day');
    await leave();
  });

  it.each(['month', 'week', 'agenda'])('moves a post that was found by the search, in the %s', async (layout) => {
    const { page, leave } = await visit(browser(), `${world.url}#/calendar?layout=${layout}`);
    await page.getByRole('main').getByText('The blue one').first().waitFor();
    // The calendar has no search field of its own.
    await page.keyboard.press('/');
    await expect.poll(() => focused(page)).toBe('Search views, actions and posts');
    await page.keyboard.type('far');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: /^Post post_/ }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toMatch(/The far one/);
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(() => timeOf('The far one')).toBe('2027-03-20T09:00:00.000Z');
    await expect.poll(() => focused(page)).toMatch(/The far one/);
    await leave();
  });

  it('leaves the focus alone if a filter hides the post that was found', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/calendar?status=failed`);
    await page.getByText('No matching posts on this day').waitFor();
    await page.keyboard.press('Control+K');
    await page.keyboard.type('far');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: /^Post post_/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const status = page.getByLabel('Status');
    await status.focus();
    await status.selectOption('all');
    await page.getByRole('cell').getByText('The far one').waitFor();
    await expect.poll(() => focused(page)).toBe('Status');
    expect(new URL(page.url()).hash).toBe('#/calendar');
    await leave();
  });
});
