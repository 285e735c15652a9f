import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { targetOf } from '../../src/index.js';
import { browserForAll, open, visit } from './support/browser.js';
import { focused, hasVisibleFocus, tabTo } from './support/keyboard.js';
import { clientOf, serveWorld, start, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
const hourMs = 3_600_000;
let world: World;
let postId: string;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
  postId = await schedule('The blue one', start + hourMs);
});

afterEach(() => world.close());

async function schedule(content: string, at: number, extraBody = {}): Promise<string> {
  const client = clientOf(world);
  const platforms = (await client.integrations.list().toArray()).map(targetOf);
  const created = await client.posts.create({ content, platforms, scheduledFor: new Date(at) }, { extraBody });
  return created.postId;
}

const postOf = (id: string) => world.service.posts.find((post) => post.postId === id);
const timeOf = (id: string) => postOf(id)?.scheduledFor;

const dayCell = (page: Page, name: RegExp) =>
  page.getByRole('cell').filter({ has: page.getByRole('button', { name }) });

describe('a scheduled post', () => {
  it('is dragged to another day of the month, keeps its hour, and goes back by Undo', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page
      .getByRole('cell')
      .getByRole('button', { name: /The blue one/ })
      .dragTo(dayCell(page, /^Friday,? 26 March/));
    // Eleven in Berlin.
    await expect.poll(() => timeOf(postId)).toBe('2027-03-26T10:00:00.000Z');
    await page.getByText('“The blue one” moved to 26 Mar 2027, 11:00.').waitFor();
    await page.getByRole('heading', { name: /^Friday,? 26 March 2027/ }).waitFor();
    await expect.poll(() => focused(page)).toMatch(/The blue one/);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => timeOf(postId)).toBe('2027-03-10T10:00:00.000Z');
    await expect.poll(() => focused(page)).toMatch(/The blue one/);
    expect(postOf(postId)).toMatchObject({ content: 'The blue one', platforms: [{}, {}, {}] });
    await leave();
  });

  it('is dragged to another day of the week', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/calendar?layout=week`);
    const days = page.getByRole('list', { name: 'Days of the week' });
    const friday = days.locator('> li').filter({ has: page.getByRole('heading', { name: /^Friday,? 12 March 2027/ }) });
    await days.getByRole('button', { name: /The blue one/ }).dragTo(friday);
    await expect.poll(() => timeOf(postId)).toBe('2027-03-12T10:00:00.000Z');
    await friday.getByRole('button', { name: /The blue one/ }).waitFor();
    await leave();
  });

  it('is moved by the keyboard, by days and hours, and keeps the focus', async () => {
    const { page, leave } = await visit(browser(), world.url);
    // The clock names the post too.
    await tabTo(page, /^10 Mar 2027, 11:00.*The blue one/);
    await expect.poll(() => hasVisibleFocus(page)).toBe(true);
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(() => timeOf(postId)).toBe('2027-03-11T10:00:00.000Z');
    await expect.poll(() => focused(page)).toMatch(/11 Mar 2027, 11:00.*The blue one/);
    await page.keyboard.press('Shift+ArrowDown');
    await expect.poll(() => timeOf(postId)).toBe('2027-03-11T11:00:00.000Z');
    await expect.poll(() => focused(page)).toMatch(/11 Mar 2027, 12:00.*The blue one/);
    await page.keyboard.press('Shift+ArrowUp');
    await page.getByText('“The blue one” moved to 11 Mar 2027, 11:00.').last().waitFor();
    await expect.poll(() => timeOf(postId)).toBe('2027-03-11T10:00:00.000Z');
    expect(world.service.requests.filter(({ method }) => method === 'PUT')).toHaveLength(3);
    await leave();
  });

  it('gets another time in its dialog', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${postId}`);
    const form = page.getByRole('form', { name: 'Reschedule the post' });
    await expect.poll(() => form.getByLabel('Time').inputValue()).toBe('2027-03-10T11:00');
    await form.getByLabel('Time').fill('2027-03-15T08:30');
    await page.keyboard.press('Enter');
    await expect.poll(() => timeOf(postId)).toBe('2027-03-15T07:30:00.000Z');
    await page.getByRole('dialog').getByText('for 15 Mar 2027, 08:30').waitFor();
    await leave();
  });

  it('says at the field why the service refuses a time', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${postId}`, { expected: /503/ });
    const form = page.getByRole('form', { name: 'Reschedule the post' });
    world.service.faults.add({ kind: 'status', status: 503, route: 'PUT /v1/posts/scheduled/{postId}' });
    await form.getByLabel('Time').fill('2027-03-15T08:30');
    await form.getByRole('button', { name: 'Reschedule' }).click();
    await form.locator('.bad').waitFor();
    expect(await form.getByLabel('Time').getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => focused(page)).toBe('Time');
    await form.getByLabel('Time').fill('');
    await form.getByRole('button', { name: 'Reschedule' }).click();
    await expect.poll(() => focused(page)).toBe('Time');
    expect(timeOf(postId)).toBe('2027-03-10T10:00:00.000Z');
    await leave();
  });

  it('that moves to a time in the past says when it is published', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${postId}`);
    await page.getByRole('dialog').getByLabel('Time').fill('2027-03-01T08:00');
    await page.getByRole('button', { name: 'Reschedule' }).click();
    expect(timeOf(postId)).toBe('2027-03-10T10:00:00.000Z');
    await page.getByRole('button', { name: 'Confirm: the time is past' }).click();
    await page
      .locator('.notice')
      .getByText(/That time is past: the post is published when the clock moves\.$/)
      .waitFor();
    expect(postOf(postId)?.status).toBe('scheduled');
    await world.service.clock.advance({ seconds: 1 });
    expect(postOf(postId)?.status).toBe('partial');
    await leave();
  });

  it('that was published meanwhile cannot be dragged', async () => {
    await world.service.clock.advance({ hours: 2 });
    const { page, leave } = await visit(browser(), world.url);
    const chip = page.getByRole('cell').getByRole('button', { name: /The blue one/ });
    await chip.waitFor();
    expect(await chip.getAttribute('draggable')).toBeNull();
    await leave();
  });
});

describe('a duplicate', () => {
  it('has the text, the accounts and the media of its post, also after a reload', async () => {
    const id = await schedule('With a picture', start + 2 * hourMs, {
      mediaItems: [{ type: 'image', url: 'https://images.example/blue.jpg' }],
    });
    const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${id}`);
    await page.getByRole('button', { name: 'Duplicate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Duplicate of a post' });
    await dialog.waitFor();
    await page.reload();
    await expect.poll(() => dialog.getByLabel('Content').inputValue()).toBe('With a picture');
    await dialog.getByLabel('acme.tiktok').uncheck();
    await page.keyboard.press('Control+Enter');
    await dialog.waitFor({ state: 'detached' });
    const copy = world.service.posts.at(-1);
    expect(copy).toMatchObject({
      content: 'With a picture',
      status: 'scheduled',
      mediaItems: [{ url: 'https://images.example/blue.jpg' }],
    });
    expect(copy?.platforms?.map(({ platform }) => platform).sort()).toEqual(['facebook', 'instagram']);
    await leave();
  });
});

describe('a target', () => {
  it('fails as planned on its post, and on no other post of the account', async () => {
    const other = await schedule('The red one', start + hourMs);
    const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${postId}`);
    const target = page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'acme.facebook' });
    await target.getByRole('button', { name: 'Fail this target: Facebook @acme.facebook' }).click();
    await expect.poll(() => focused(page)).toBe('Error');
    await page.keyboard.type('The page is gone');
    await page.keyboard.press('Enter');
    await target.getByText('Will fail: The page is gone').waitFor();
    await page.reload();
    await target.getByText('Will fail: The page is gone').waitFor();
    await world.service.clock.advance({ hours: 2 });
    await target.getByText('failed', { exact: true }).waitFor();
    expect(postOf(postId)?.platforms).toMatchObject([
      { platform: 'tiktok', status: 'failed' },
      { platform: 'facebook', status: 'failed', errorMessage: 'The page is gone' },
      { platform: 'instagram', status: 'published' },
    ]);
    expect(postOf(other)?.platforms).toMatchObject([{}, { platform: 'facebook', status: 'published' }, {}]);
    await leave();
  });

  it('that was planned to fail can succeed again', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${postId}`);
    const target = page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'acme.facebook' });
    await target.getByRole('button', { name: /^Fail this target/ }).click();
    await target.getByRole('button', { name: 'Fail it' }).click();
    await target.getByRole('button', { name: /^Let it succeed/ }).click();
    await target.getByRole('button', { name: /^Fail this target/ }).waitFor();
    await world.service.clock.advance({ hours: 2 });
    expect(postOf(postId)?.platforms).toMatchObject([{}, { platform: 'facebook', status: 'published' }, {}]);
    await leave();
  });
});

describe('the layout of the calendar', () => {
  it('is in the address with its filters, and each step moves by its period', async () => {
    const { page, leave } = await visit(browser(), world.url);
    const heading = page.getByRole('heading', { level: 1 });
    await page.getByRole('button', { name: 'Week', exact: true }).click();
    await expect.poll(() => heading.innerText()).toBe('8 Mar – 14 Mar 2027');
    await page.getByRole('button', { name: 'Next week' }).click();
    await expect.poll(() => heading.innerText()).toBe('15 Mar – 21 Mar 2027');
    expect(new URL(page.url()).hash).toBe('#/calendar?layout=week&day=2027-03-17');
    await page.reload();
    await page.getByRole('heading', { name: '15 Mar – 21 Mar 2027' }).waitFor();
    await page.getByRole('button', { name: 'Agenda' }).click();
    await page.getByText('No posts in these four weeks').waitFor();
    await page.getByRole('button', { name: 'Previous four weeks' }).click();
    await page
      .getByRole('region', { name: /^Wednesday,? 10 March 2027/ })
      .getByRole('button', { name: /blue/ })
      .waitFor();
    await page.getByLabel('Status').selectOption('failed');
    await page.getByText('No matching posts in these four weeks').waitFor();
    await page.getByRole('button', { name: 'Month', exact: true }).click();
    await page.getByRole('button', { name: 'Today' }).click();
    expect(new URL(page.url()).hash).toBe('#/calendar?status=failed');
    await page.getByText('No matching posts on this day').waitFor();
    await page.getByLabel('Status').selectOption('all');
    await page.getByLabel('Platform').selectOption('TikTok');
    await page.getByRole('button', { name: /10 March 2027, 1 post: 1 scheduled/ }).waitFor();
    await leave();
  });

  it('of a day offers a post for that day', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/calendar?layout=week`);
    await page.getByRole('button', { name: /^New post on Saturday/ }).click();
    const dialog = page.getByRole('dialog', { name: 'New post' });
    await expect.poll(() => dialog.getByLabel('Time', { exact: true }).inputValue()).toBe('2027-03-13T09:00');
    await leave();
  });
});

describe('an account', () => {
  it('keeps the focus on its buttons when they change', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/accounts`);
    await page.getByRole('button', { name: 'Fail authorization: Facebook @acme.facebook' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toMatch(/^Reconnect/);
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toMatch(/^Expire token/);
    await leave();
  });

  it('is named with its platform, as accounts of two platforms may have one handle', async () => {
    world.service.seed.integration({ platform: 'threads', username: 'acme.facebook' });
    const { page, leave } = await visit(browser(), `${world.url}#/accounts`);
    await page.getByRole('button', { name: 'Expire token: Threads @acme.facebook' }).click();
    await page.getByText('Threads @acme.facebook: The token is expired.').waitFor();
    await page.getByRole('button', { name: 'Details of Facebook @acme.facebook' }).waitFor();
    await page.getByRole('group', { name: 'Health of Threads @acme.facebook' }).waitFor();
    await leave();
  });

  it('is not called healthy before its health is read', async () => {
    const [, ...others] = await clientOf(world).integrations.list().toArray();
    for (const { id } of others) world.service.accounts.expire(id);
    const context = await browser().newContext();
    const page = await context.newPage();
    // The health of the first account is read by its ID, after the list of accounts.
    await page.route('**/v1/connect/integrations/*', () => undefined);
    await page.goto(`${world.url}#/accounts`);
    await page.getByText('Checking').first().waitFor();
    expect(await page.getByText('Checking').count()).toBe(3);
    expect(await page.getByText('Healthy', { exact: true }).count()).toBe(0);
    await context.close();
  });

  it('has buttons with equal edges', async () => {
    world.service.seed.demo();
    for (const width of [1440, 1024, 390, 320]) {
      const { page, leave } = await visit(browser(), `${world.url}#/accounts`, { viewport: { width, height: 900 } });
      const buttons = page.getByRole('listitem').getByRole('button');
      await buttons.first().waitFor();
      const ragged = await page.evaluate(
        () =>
          [...document.querySelectorAll('.account')].filter((card) => {
            const rows = new Map<number, DOMRect[]>();
            for (const box of [...card.querySelectorAll('.button-fill button')].map((button) =>
              button.getBoundingClientRect(),
            ))
              rows.set(box.top, [...(rows.get(box.top) ?? []), box]);
            const edges = [...rows.values()].map((row) => [
              Math.round(Math.min(...row.map(({ left }) => left))),
              Math.round(Math.max(...row.map(({ right }) => right))),
            ]);
            return new Set(edges.map(String)).size > 1;
          }).length,
      );
      expect({ width, ragged }).toEqual({ width, ragged: 0 });
      await leave();
    }
  });

  it('is expired, failed and connected again from its row', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await open(page, 'Accounts');
    const card = page.getByRole('listitem').filter({ hasText: '@acme.facebook' });
    await card.getByRole('button', { name: 'Expire token: Facebook @acme.facebook' }).click();
    await card.getByText('Needs attention').waitFor();
    await card.getByText(/token_expired/).waitFor();
    await page.getByText('The token is expired. 1 scheduled post will fail on it.').waitFor();
    await card.getByRole('button', { name: 'Reconnect: Facebook @acme.facebook' }).click();
    await card.getByText('Healthy').waitFor();
    await card.getByRole('button', { name: 'Fail authorization: Facebook @acme.facebook' }).click();
    await card.getByText(/authorization_failed/).waitFor();
    await world.service.clock.advance({ hours: 2 });
    expect(postOf(postId)?.platforms).toMatchObject([{}, { platform: 'facebook', status: 'failed' }, {}]);
    await leave();
  });
});
