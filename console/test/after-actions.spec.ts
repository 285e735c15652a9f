import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserForAll, desktop, open, phone, visit } from './support/browser.js';
import { focused } from './support/keyboard.js';
import {
  clientOf,
  schedulePost,
  serveWorld,
  start,
  startReceiver,
  threeAccounts,
  type World,
} from './support/world.js';

const browser = browserForAll();
const hourMs = 3_600_000;
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

describe('notices', () => {
  it('about an account replace each other', async () => {
    await schedulePost(world, 'The blue one', start + 26 * hourMs);
    const { page, leave } = await visit(browser(), `${world.url}#/accounts`);
    await page.getByRole('button', { name: /^Expire token: Facebook/ }).click();
    await page.getByText(/1 scheduled post will fail on it\.$/).waitFor();
    await page.getByRole('button', { name: /^Reconnect: Facebook/ }).click();
    await page.getByText('Facebook @acme.facebook: The account is connected again.').waitFor();
    expect(await page.locator('.notice').count()).toBe(1);
    await leave();
  });

  it('that confirm an action do not follow to another view', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/faults`);
    await page.getByRole('form', { name: 'Plan an outcome' }).getByRole('button', { name: 'Add rule' }).click();
    await page.getByText(/^The rule is added\./).waitFor();
    await open(page, 'Posts');
    expect(await page.locator('.notice').count()).toBe(0);
    await leave();
  });

  it('about a removed outcome end with one period', async () => {
    world.service.publishing.outcome({ platform: 'facebook', error: 'The platform refused the post.' });
    const { page, leave } = await visit(browser(), `${world.url}#/faults`);
    const remove = page.getByRole('button', { name: /Remove the outcome: Facebook/i });
    await remove.click();
    await remove.click();
    await page.getByText(/is removed: .*Facebook.*: The platform refused the post\.$/i).waitFor();
    await leave();
  });

  it('that ask about a move disappear when the post is moved', async () => {
    await schedulePost(world, 'The blue one', start + 26 * hourMs);
    const { page, leave } = await visit(browser(), world.url);
    const chip = page.getByRole('cell').getByRole('button', { name: /The blue one/ });
    await chip.dragTo(page.locator('td[data-date="2027-03-02"]'));
    const question = page.getByText(/was not moved/);
    await question.waitFor();
    await chip.dragTo(page.locator('td[data-date="2027-03-19"]'));
    await page.getByText(/moved to 19 Mar/).waitFor();
    expect(await question.count()).toBe(0);
    await leave();
  });
});

describe('the focus', () => {
  it('is on a post that was rescheduled in its dialog, on its new day', async () => {
    const postId = await schedulePost(world, 'The blue one', start + 26 * hourMs);
    await schedulePost(world, 'Another one', start + 25 * hourMs);
    const { page, leave } = await visit(browser(), world.url);
    await page.locator('[data-day="2027-03-11"]').click();
    await page
      .getByRole('list', { name: /^Posts of the day/ })
      .getByRole('button', { name: /The blue one/ })
      .click();
    const dialog = page.getByRole('dialog', { name: `Post ${postId}` });
    await dialog.getByLabel('Time').fill('2027-03-17T09:30');
    await dialog.getByRole('button', { name: 'Reschedule' }).click();
    await dialog.getByText('for 17 Mar 2027, 09:30').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toMatch(/17 Mar 2027, 09:30.*The blue one/);
    await page.getByRole('region', { name: /^Posts of .*17 March/ }).waitFor();
    await leave();
  });

  it('stays on the day and on the post when a key changes the layout', async () => {
    await schedulePost(world, 'The blue one', start + hourMs);
    const { page, leave } = await visit(browser(), world.url);
    await page.keyboard.press('t');
    await expect.poll(() => focused(page)).toMatch(/10 March/);
    await page.keyboard.press('w');
    await expect.poll(() => focused(page)).toMatch(/^New post on .*10 March/);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page)).toMatch(/The blue one/);
    for (const layout of ['m', 'a', 'w']) {
      await page.keyboard.press(layout);
      await page.locator(`.calendar-${{ m: 'month', a: 'agenda', w: 'week' }[layout] ?? ''}`).waitFor();
      await expect.poll(() => focused(page)).toMatch(/The blue one/);
    }
    await leave();
  });

  it('goes from the search field to the list, and stays in the text field of a conversation', async () => {
    await schedulePost(world, 'The blue one');
    const { id: accountId } = world.service.seed.integration({ platform: 'instagram', username: 'acme.third' });
    const { id } = world.service.seed.conversation({ accountId });
    world.service.seed.message({ accountId, conversationId: id, text: 'Hi' });
    const { page, leave } = await visit(browser(), `${world.url}#/posts`);
    await page.getByRole('searchbox').fill('blue');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page)).toMatch(/The blue one/);
    await page.goto(`${world.url}#/messages?account=${accountId}`);
    const text = page.getByRole('form', { name: 'Write a message' }).getByLabel('Text');
    await text.fill('Hello');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('list', { name: 'Messages' }).getByText('Hello').waitFor();
    await expect.poll(() => focused(page)).toBe('Text');
    await leave();
  });
});

it('Ctrl+K goes to the day of a date', async () => {
  const { page, leave } = await visit(browser(), `${world.url}#/posts`);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('2027-12-24');
  await page.getByRole('option', { name: 'Go to Friday, 24 December 2027' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'December 2027' }).waitFor();
  await page.getByRole('region', { name: /^Posts of .*24 December/ }).waitFor();
  await leave();
});

it('an edit that was closed before it was saved is there again', async () => {
  const postId = await schedulePost(world, 'The blue one', start + 26 * hourMs);
  const { page, leave } = await visit(browser(), `${world.url}#/posts?edit=${postId}`);
  const dialog = page.getByRole('dialog', { name: 'Edit the scheduled post' });
  await dialog.getByLabel('Content').fill('The red one');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.goto(`${world.url}#/posts?edit=${postId}`);
  await dialog.waitFor();
  await expect.poll(() => dialog.getByLabel('Content').inputValue()).toBe('The red one');
  await dialog.getByText('You wrote this before, and did not save it. The text of the post: The blue one').waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(world.service.posts[0]?.content).toBe('The red one');
  await leave();
});

it('the dialog of the clock warns about a past time, but not about the present one', async () => {
  const { page, leave } = await visit(browser(), `${world.url}#/posts?tool=clock`);
  const dialog = page.getByRole('dialog', { name: 'Clock of the emulator' });
  await world.service.clock.advance({ seconds: 30 });
  await dialog.getByText(/What is due until then happens now\.$/).waitFor();
  await dialog.getByLabel('Date and time').fill('2027-03-01T08:00');
  await dialog.getByText(/That time is past: the clock goes back, and nothing is undone\.$/).waitFor();
  await leave();
});

describe('the details of a long post', () => {
  it('are in sight below three lines of its text', async () => {
    const receiver = await startReceiver(() => world.service.clock.now());
    const { webhook } = world.service.seed.subscription({ webhook: { url: receiver.url } });
    receiver.secret = webhook?.secret ?? '';
    await schedulePost(world, 'A long text '.repeat(400));
    await expect.poll(() => world.service.deliveries.length).toBe(1);
    const { page, leave } = await visit(browser(), `${world.url}#/webhooks`);
    for (const view of ['webhooks', 'requests']) {
      await page.goto(`${world.url}#/${view}`);
      const excerpt = page.locator('.post-excerpt');
      await excerpt.waitFor();
      expect((await excerpt.boundingBox())?.height).toBeLessThan(80);
    }
    await leave();
    await receiver.close();
  });
});

it('a failed replay of a delivered event changes neither its row nor the number of failures', async () => {
  const receiver = await startReceiver(() => world.service.clock.now());
  const { webhook } = world.service.seed.subscription({
    webhook: { url: receiver.url },
    eventTypes: ['post.scheduled'],
  });
  receiver.secret = webhook?.secret ?? '';
  await schedulePost(world, 'The blue one');
  await expect.poll(() => world.service.deliveries.map(({ ok }) => ok)).toEqual([true]);
  const { page, leave } = await visit(browser(), `${world.url}#/webhooks`);
  receiver.secret = 'whsec_another_secret';
  await page.getByRole('button', { name: 'Deliver again' }).click();
  await page.getByText('Sent again: the receiver accepted 0 of 1.').waitFor();
  await page.getByRole('button', { name: /^post\.scheduled Delivered/ }).waitFor();
  expect(await page.getByRole('link', { name: /not delivered/ }).count()).toBe(0);
  await page.reload();
  await page.getByRole('button', { name: /^post\.scheduled Delivered/ }).waitFor();
  expect(await page.getByRole('link', { name: /not delivered/ }).count()).toBe(0);
  await leave();
  await receiver.close();
});

it('the dialog of a post shows when a delivery is tried again, as Webhooks does', async () => {
  world.service.seed.subscription({ webhook: { url: 'http://127.0.0.1:9/' }, eventTypes: ['post.scheduled'] });
  const postId = await schedulePost(world, 'The blue one', start + 90 * hourMs);
  await expect.poll(() => world.service.deliveries.length).toBe(1);
  const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${postId}`);
  const traffic = page.getByRole('dialog').locator('.traffic').last();
  await traffic.getByText('Retry at 10:00:30').waitFor();
  await world.service.clock.advance({ minutes: 5 });
  await traffic.getByText(/ · 3 attempts$/).waitFor();
  expect(await traffic.locator('.status-bad').count()).toBe(1);
  await leave();
});

it.each([
  [desktop, true],
  [phone, false],
])('at %o, the row of the shown request is marked: %s', async (viewport, isMarked) => {
  for (let sent = 0; sent < 3; sent += 1) await clientOf(world).posts.list();
  const { page, leave } = await visit(browser(), `${world.url}#/requests`, { viewport });
  const rows = page.locator('.request-row');
  await rows.nth(2).waitFor();
  const colors = await rows.evaluateAll((all) => all.map((row) => getComputedStyle(row).backgroundColor));
  expect(colors[0] !== colors[1]).toBe(isMarked);
  await leave();
});

it('a post row says whether its targets failed for the same reason', async () => {
  world.service.publishing.reset();
  world.service.publishing.outcome({ error: 'Too long' });
  world.service.publishing.outcome({ platform: 'tiktok', error: 'The daily limit is reached' });
  await schedulePost(world, 'The blue one');
  await world.service.clock.advance({ hours: 2 });
  world.service.publishing.reset();
  world.service.publishing.outcome({ error: 'Down' });
  await schedulePost(world, 'The red one', start + 3 * hourMs);
  await world.service.clock.advance({ hours: 2 });
  const { page, leave } = await visit(browser(), `${world.url}#/posts`);
  await page
    .getByText(/^(\w+ and 1 more: .* 1 more failed for another reason|TikTok: .* 2 more failed for other reasons)\.$/)
    .waitFor();
  await page.getByText(/^\w+ and 2 more: Down$/).waitFor();
  await leave();
});
