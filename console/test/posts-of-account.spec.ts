import { afterEach, beforeEach, expect, it } from 'vitest';
import { targetOf } from '../../src/index.js';
import { browserForAll, desktop, visit } from './support/browser.js';
import { clientOf, schedulePost, serveWorld, start, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
const hourMs = 3_600_000;
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

/** Two Facebook accounts, each with a post of its own. */
async function twoOfOnePlatform(): Promise<readonly string[]> {
  world.service.seed.integration({ platform: 'facebook', username: 'other.facebook' });
  const client = clientOf(world);
  const accounts = await client.integrations.list({ platform: 'facebook' }).toArray();
  for (const account of accounts)
    await client.posts.create({
      content: `By ${account.username ?? ''}`,
      platforms: [targetOf(account)],
      scheduledFor: new Date(start + hourMs),
    });
  return accounts.map(({ id }) => id);
}

it('a failed post in the list counts its other failed targets', async () => {
  world.service.publishing.outcome({ platform: 'facebook', error: 'The page is gone' });
  await schedulePost(world, 'The blue one');
  await world.service.clock.advance({ hours: 2 });
  const { page, leave } = await visit(browser(), `${world.url}#/posts`);
  const row = page.getByRole('list', { name: 'Posts' }).getByRole('button');
  await row
    .getByText(/^(Facebook: The page is gone|TikTok: The video is missing) 1 more failed for another reason\.$/)
    .waitFor();
  await leave();
});

it('a failed post in the list counts the targets with the same error apart from the others', async () => {
  for (const platform of ['facebook', 'instagram'] as const)
    world.service.publishing.outcome({ platform, error: 'The text is too long' });
  world.service.publishing.outcome({ platform: 'tiktok', error: 'The text is too long' });
  await schedulePost(world, 'Alike');
  await world.service.clock.advance({ hours: 2 });
  world.service.publishing.outcome({ platform: 'tiktok', error: 'The video is missing' });
  await schedulePost(world, 'Mixed', world.service.clock.now() + hourMs);
  await world.service.clock.advance({ hours: 2 });
  const { page, leave } = await visit(browser(), `${world.url}#/posts`);
  const row = (name: string) => page.getByRole('list', { name: 'Posts' }).getByRole('button', { name });
  await row('Alike')
    .getByText(/ and 2 more: The text is too long$/)
    .waitFor();
  await row('Mixed')
    .getByText(/^(TikTok: .* 2 more failed for other reasons|\w+ and 1 more: .* 1 more failed for another reason)\.$/)
    .waitFor();
  await leave();
});

it('a failed post in the list shows the error of its first failed target', async () => {
  await schedulePost(world, 'The blue one');
  await world.service.clock.advance({ hours: 2 });
  const { page, leave } = await visit(browser(), `${world.url}#/posts`);
  const row = page.getByRole('list', { name: 'Posts' }).getByRole('button');
  await row.getByText('TikTok: The video is missing').waitFor();
  await leave();
});

it('an account leads to its posts, and to those that fail after its token expired', async () => {
  await twoOfOnePlatform();
  const { page, leave } = await visit(browser(), `${world.url}#/accounts`);
  const rows = page.getByRole('list', { name: 'Posts' }).getByRole('button');
  await page.getByRole('button', { name: 'Details of Facebook @other.facebook' }).click();
  await page.getByRole('link', { name: /^Posts with this account/ }).click();
  await page.getByText('1 of 2 posts, on Facebook @other.facebook').waitFor();
  expect(await rows.allInnerTexts()).toEqual([expect.stringContaining('By other.facebook')]);
  await page.goBack();
  await page.getByRole('button', { name: 'Expire token: Facebook @acme.facebook' }).click();
  await page.locator('.notice').getByRole('button', { name: 'Show' }).click();
  await page.getByText('1 of 2 posts, on Facebook @acme.facebook').waitFor();
  expect(await rows.allInnerTexts()).toEqual([expect.stringContaining('By acme.facebook')]);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect.poll(() => rows.count()).toBe(2);
  await leave();
});

it('the comments of an account are offered for its own posts only', async () => {
  const [id] = await twoOfOnePlatform();
  await world.service.clock.advance({ hours: 2 });
  const { page, leave } = await visit(browser(), `${world.url}#/comments?account=${id ?? ''}`);
  const rows = page.getByRole('list', { name: /^Posts/ }).getByRole('button');
  await expect.poll(() => rows.count()).toBe(1);
  await expect.poll(() => rows.first().textContent()).toMatch(/By (acme|other)\.facebook/);
  await leave();
});

it('Back returns from the agenda to the week', async () => {
  const { page, leave } = await visit(browser(), `${world.url}#/calendar`);
  for (const name of ['Week', 'Agenda']) await page.getByRole('button', { name, exact: true }).click();
  await page.goBack();
  await expect
    .poll(() => page.getByRole('button', { name: 'Week', exact: true }).getAttribute('aria-pressed'))
    .toBe('true');
  await leave();
});

it('a full today begins near the present time in the week, and its head stays in sight', async () => {
  for (let index = 0; index < 60; index += 1) await schedulePost(world, `Post ${index}`, start + (index + 1) * 300_000);
  await world.service.clock.advance({ hours: 3 });
  const { page, leave } = await visit(browser(), `${world.url}#/calendar?layout=week`, { viewport: desktop });
  const day = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: /^Wednesday,? 10 March/ }) });
  await day.locator('.week-post').nth(10).waitFor();
  expect(await day.locator('.week-post').first().innerText()).not.toContain('Post 0');
  await day.getByText('Post 36', { exact: true }).waitFor();
  await page.locator('main').evaluate((main) => {
    main.scrollTop = 900;
  });
  const heading = await day.getByRole('heading').boundingBox();
  const tools = await page.getByRole('button', { name: 'Today' }).boundingBox();
  const end = (tools?.y ?? 0) + (tools?.height ?? 0);
  expect(heading?.y).toBeGreaterThanOrEqual(end);
  expect(heading?.y).toBeLessThan(end + 30);
  await leave();
});

it('a notice stays while the mouse is over it', async () => {
  const { page, leave } = await visit(browser(), `${world.url}#/accounts`);
  await page.clock.install();
  await page
    .getByRole('button', { name: /^Expire token/ })
    .first()
    .click();
  await page.locator('.notice').hover();
  await page.clock.runFor(60_000);
  expect(await page.locator('.notice').count()).toBe(1);
  await page.getByRole('heading', { level: 1 }).hover();
  await page.clock.runFor(5_000);
  await expect.poll(() => page.locator('.notice').count()).toBe(0);
  await leave();
});
