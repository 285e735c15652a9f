import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserForAll, picture, visit } from './support/browser.js';
import { focused } from './support/keyboard.js';
import { clientOf, schedulePost, serveWorld, start, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
const hourMs = 3_600_000;
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

it('a delivery that is tried again has the time of the next attempt, and is a failure only after the last one', async () => {
  // Nothing listens there.
  world.service.seed.subscription({ webhook: { url: 'http://127.0.0.1:9/' }, eventTypes: ['post.scheduled'] });
  await schedulePost(world, 'The blue one', start + 90 * hourMs);
  await expect.poll(() => world.service.deliveries.length).toBe(1);
  const { page, leave } = await visit(browser(), `${world.url}#/webhooks`);
  const row = page.getByRole('button', { name: /^post\.scheduled Retry at 10:00:30 The blue one/ });
  await row.waitFor();
  await page.getByText('The next attempt is due at 10 Mar 2027, 10:00:30.').waitFor();
  const failures = page.getByRole('link', { name: '1 not delivered' });
  expect(await failures.count()).toBe(0);
  await picture(page, 'delivery-waits');
  await world.service.clock.advance({ seconds: 31 });
  await page.getByRole('button', { name: /Retry at 10:01:30/ }).waitFor();
  await world.service.clock.advance({ seconds: 61 });
  await failures.waitFor();
  await row.waitFor({ state: 'detached' });
  await failures.click();
  await page.getByText('1 delivery').waitFor();
  await leave();
});

it('planned steps of a scenario are listed, and can be removed', async () => {
  world.service.scenario([
    { at: { hours: 1 }, outcomes: { platform: 'tiktok', error: 'Down' } },
    { at: { hours: 2 }, faults: { kind: 'status', status: 503 }, seed: { integrations: [{ platform: 'bluesky' }] } },
  ]);
  const { page, leave } = await visit(browser(), `${world.url}#/faults`);
  const panel = page.locator('.panel').filter({ hasText: 'Planned steps of the scenario' });
  await panel.getByText('fault: Status 503; 1 integrations').waitFor();
  const item = panel.getByRole('listitem').filter({ hasText: 'outcome on TikTok: Down' });
  await item.getByText('10 Mar 2027, 11:00:00').waitFor();
  await picture(page, 'scenario');
  for (const name of [/^Remove the step: outcome/, /^Confirm: Remove the step: outcome/])
    await page.getByRole('button', { name }).click();
  await item.waitFor({ state: 'detached' });
  expect(world.service.scenarios.list()).toHaveLength(1);
  await world.service.clock.advance({ hours: 3 });
  await panel.waitFor({ state: 'detached' });
  await leave();
});

describe('while the posts are read', () => {
  it('no number looks final', async () => {
    for (let index = 0; index < 250; index += 1)
      world.service.seed.post({
        content: `Post ${index}`,
        status: 'failed',
        platforms: [{ platform: 'instagram', status: 'failed' }],
        scheduledFor: new Date(start - hourMs).toISOString(),
      });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { page, leave } = await visit(browser(), world.url);
    await page.route(/offset=100/, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto('about:blank');
    await page.goto(world.url);
    await page.getByText(/^Reading \d+ of 250 posts$/).waitFor();
    expect(await page.getByRole('link', { name: /failed or partial/ }).count()).toBe(0);
    await expect.poll(() => page.locator('.day-panel > .hint').innerText()).toBe('Loading');
    release();
    await page.getByRole('link', { name: '250 failed or partial' }).waitFor();
    await page.getByText(/^Shows when each post is published/).waitFor();
    await leave();
  });
});

describe('the month at 1024 px', () => {
  it('shows the posts of a pressed day at once', async () => {
    world.service.seed.demo();
    const { page, leave } = await visit(browser(), world.url, { viewport: { width: 1024, height: 768 } });
    await page.locator('.chip').nth(10).waitFor();
    await page.locator('td[data-date="2027-03-05"]').click({ position: { x: 90, y: 8 } });
    const panel = page.getByRole('region', { name: /^Posts of/ });
    await panel.getByRole('heading', { name: /5 March/ }).waitFor();
    await expect
      .poll(() =>
        panel.getByRole('heading').evaluate((heading) => {
          const { top, bottom } = heading.getBoundingClientRect();
          return top > 0 && bottom <= innerHeight;
        }),
      )
      .toBe(true);
    await picture(page, 'month-1024-day');
    await leave();
  });
});

describe('the week', () => {
  it('lists earlier posts of a full day before the shown ones', async () => {
    for (let index = 0; index < 80; index += 1)
      world.service.seed.post({
        content: `Post ${index}`,
        scheduledFor: new Date(start + (index - 60) * 60_000).toISOString(),
        status: index < 60 ? 'published' : 'scheduled',
        platforms: [{ platform: 'instagram' }],
      });
    const { page, leave } = await visit(browser(), `${world.url}#/calendar?layout=week`);
    const day = page.locator('.week-today');
    await day.getByText('+50 earlier').waitFor();
    const order = await day.evaluate((element) => {
      const [others, first] = [element.querySelector('.week-others'), element.querySelector('.week-post')];
      return (others?.getBoundingClientRect().top ?? 0) < (first?.getBoundingClientRect().top ?? 0);
    });
    expect(order).toBe(true);
    expect(await day.getByText(/\+\d+ more/).count()).toBe(0);
    await leave();
  });

  it('goes on with the arrow keys after t', async () => {
    await schedulePost(world, 'The blue one', start + hourMs);
    const { page, leave } = await visit(browser(), `${world.url}#/calendar?layout=week`);
    await page.getByRole('button', { name: /The blue one/ }).waitFor();
    await page.keyboard.press('t');
    await expect.poll(() => focused(page)).toMatch(/^New post on .*10 March/);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => focused(page)).toMatch(/^New post on .*11 March/);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page)).toMatch(/The blue one/);
    await leave();
  });
});

it('Ctrl+K finds a post by its number first', async () => {
  for (let index = 0; index < 30; index += 1)
    await clientOf(world).posts.create({ content: `Post 7 of ${index}`, saveAsDraft: true });
  const { page, leave } = await visit(browser(), world.url);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('7');
  const first = page.getByRole('dialog').getByRole('option').first();
  await expect.poll(() => first.innerText()).toMatch(/ post_7$/);
  await leave();
});

it('a row shows the beginning of a text from right to left', async () => {
  const text = `${'مرحبا بالعالم '.repeat(12)}و coffee و tea و more words of this text`;
  world.service.seed.subscription({ webhook: { url: 'http://127.0.0.1:9/' }, eventTypes: ['post.scheduled'] });
  await schedulePost(world, text, start + hourMs);
  const { page, leave } = await visit(browser(), `${world.url}#/webhooks`, { viewport: { width: 1024, height: 768 } });
  const line = page.locator('.event-row .line[dir=auto]');
  await line.waitFor();
  const isStartSeen = await line.evaluate((element) => {
    const range = document.createRange();
    const node = element.firstChild;
    if (node === null) return false;
    range.setStart(node, 0);
    range.setEnd(node, 3);
    const [box, start] = [element.getBoundingClientRect(), range.getBoundingClientRect()];
    return start.left >= box.left - 1 && start.right <= box.right + 1;
  });
  expect(isStartSeen).toBe(true);
  await leave();
});

it('a notice goes away after its button was used with the keyboard', async () => {
  const { page, leave } = await visit(browser(), `${world.url}#/accounts`);
  await page.clock.install();
  await page.getByRole('button', { name: /^Expire token: TikTok/ }).click();
  await page.locator('.notice').waitFor();
  await page.locator('.notice-dismiss').focus();
  await page.getByRole('button', { name: /^Reconnect: TikTok/ }).focus();
  await page.clock.runFor(30_000);
  await expect.poll(() => page.locator('.notice').count()).toBe(0);
  await leave();
});
