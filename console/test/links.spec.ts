import { afterEach, beforeEach, expect, it } from 'vitest';
import { targetOf } from '../../src/index.js';
import { browserForAll, open, picture, visit } from './support/browser.js';
import { focused, hasVisibleFocus, tabTo } from './support/keyboard.js';
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
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

async function publish(content: string, platform: 'instagram' | 'tiktok'): Promise<string> {
  const client = clientOf(world);
  const platforms = (await client.integrations.list({ platform }).toArray()).map(targetOf);
  return (await client.posts.create({ content, platforms, publishNow: true })).postId;
}

it('leads from a post to its request, its deliveries and its comments, and back', async () => {
  const receiver = await startReceiver(() => world.service.clock.now());
  const { webhook } = world.service.seed.subscription({ webhook: { url: receiver.url } });
  receiver.secret = webhook?.secret ?? '';
  const postId = await publish('Linked', 'instagram');
  await publish('Another', 'instagram');
  await world.service.clock.advance({ seconds: 30 });
  const { page, leave } = await visit(browser(), world.url);
  await open(page, 'Posts');
  await page.getByRole('button', { name: /Linked/ }).click();
  const dialog = page.getByRole('dialog', { name: /^Post / });
  await dialog.getByRole('link', { name: /^post\.published to/ }).waitFor();
  await picture(page, 'post-links');
  await dialog.getByRole('link', { name: 'POST /v1/posts/' }).click();
  await page.getByRole('heading', { name: 'Requests' }).waitFor();
  expect(page.url()).toContain('request=request_');
  await page.getByText('"content": "Linked"').first().waitFor();
  await page.getByRole('region', { name: /^POST/ }).getByRole('button', { name: 'Linked' }).click();
  await dialog.getByRole('link', { name: /^post\.published to/ }).click();
  const event = page.getByRole('region', { name: /^Event / });
  await event.getByRole('button', { name: 'Linked' }).waitFor();
  await event.getByText('Signature valid').waitFor();
  await page.goBack();
  await dialog.waitFor();
  await dialog.getByRole('link', { name: 'Comments on Instagram' }).click();
  await page.getByRole('region', { name: 'Comments on the post' }).getByRole('button', { name: 'Linked' }).click();
  expect(page.url()).toContain(`post=${postId}`);
  await leave();
  await receiver.close();
});

it("names the post in each delivery, and shows the receiver's reply and latency", async () => {
  const failing = await startReceiver(() => start);
  failing.secret = 'whsec_another_secret';
  world.service.seed.subscription({ webhook: { url: failing.url } });
  await publish('Refused', 'instagram');
  await world.service.clock.advance({ minutes: 5 });
  const { page, leave } = await visit(browser(), world.url);
  await open(page, 'Webhooks');
  await page.getByRole('button', { name: /^post\.published Failed \(401\) Refused/ }).click();
  const attempts = page.getByRole('region', { name: 'Attempts' });
  expect(await attempts.getByRole('row').count()).toBe(4);
  await attempts.getByText('unauthorized').first().waitFor();
  expect(await attempts.getByText(/^\d+ ms$/).count()).toBe(3);
  await picture(page, 'delivery-failed');
  await page.reload();
  await attempts.getByText('unauthorized').first().waitFor();
  await leave();
  await failing.close();
});

it('leads from a comment to the run that it triggered, and from the run to the comments', async () => {
  const accountId = world.service.seed.integration({ platform: 'instagram', username: 'acme.second' }).id;
  const { id } = world.service.seed.automation({
    accountId,
    name: 'Guide',
    trigger: { postScope: 'any', keywords: ['guide'], matchMode: 'exact' },
    actions: { publicReplies: ['Sent!'], dmMessage: 'Here it is' },
  });
  const post = world.service.seed.post({
    content: 'Comment guide',
    status: 'published',
    platforms: [{ platform: 'instagram', accountId }],
    rawRequestBody: { platforms: [{ platform: 'instagram', accountId }] },
  });
  const place = post.platforms?.[0]?.platformPostId ?? '';
  world.service.incoming.comment({ accountId, postId: place, text: 'guide', author: { id: 'kim', name: 'Kim' } });
  world.service.incoming.comment({ accountId, postId: place, text: 'Nice', author: { id: 'lea', name: 'Lea' } });
  await world.service.clock.advance({ seconds: 2 });
  const { page, leave } = await visit(browser(), `${world.url}#/comments?account=${accountId}&place=${place}`);
  await page.getByText('Triggered Guide: succeeded').waitFor();
  await tabTo(page, /^Guide$/);
  await expect.poll(() => hasVisibleFocus(page)).toBe(true);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Automations', level: 1 }).waitFor();
  expect(page.url()).toContain(`automation=${id}`);
  const runs = page.getByRole('region', { name: 'Runs' });
  await picture(page, 'runs');
  await runs.getByRole('link', { name: 'Comment', exact: true }).first().click();
  await page.getByText('Triggered Guide: succeeded').first().waitFor();
  // The comment of the run, not only the post's comments.
  await expect.poll(() => page.locator('.thread > [aria-current=true]').innerText()).toContain('Kim');
  await open(page, 'Automations');
  await runs.getByRole('button', { name: 'Post' }).click();
  await page.getByRole('dialog', { name: `Post ${post.postId}` }).waitFor();
  await leave();
});

it('makes the deliveries one Tab stop, so that a few keys repeat one of them', async () => {
  const receiver = await startReceiver(() => world.service.clock.now());
  const { webhook } = world.service.seed.subscription({ webhook: { url: receiver.url } });
  receiver.secret = webhook?.secret ?? '';
  for (const name of ['One', 'Two', 'Three', 'Four']) await publish(name, 'instagram');
  await world.service.clock.advance({ minutes: 1 });
  const { page, leave } = await visit(browser(), `${world.url}#/webhooks`);
  const list = page.getByRole('list', { name: /^Deliveries/ });
  const count = await list.getByRole('button').count();
  expect(count).toBeGreaterThan(3);
  expect(await list.locator('button[tabindex="0"]').count()).toBe(1);
  await tabTo(page, /^post\./);
  await page.keyboard.press('End');
  await expect
    .poll(() => focused(page))
    .toBe((await list.getByRole('button').last().innerText()).replaceAll(/\s+/g, ' '));
  await expect.poll(() => hasVisibleFocus(page)).toBe(true);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect.poll(() => list.getByRole('button').nth(1).getAttribute('aria-current')).toBe('true');
  await page.keyboard.press('Tab');
  await expect.poll(() => focused(page)).toBe('Deliver again');
  const before = receiver.statuses.length;
  await page.keyboard.press('Enter');
  await page.getByText('Sent again: the receiver accepted 1 of 1.').waitFor();
  expect(receiver.statuses.length).toBe(before + 1);
  await page.keyboard.press('Shift+Tab');
  // Back to the chosen row.
  expect(
    await list
      .getByRole('button')
      .nth(1)
      .evaluate((row) => row === document.activeElement),
  ).toBe(true);
  await leave();
  await receiver.close();
});

it('copies a request as curl from its top, for the emulator that serves the page', async () => {
  world.service.seed.demo();
  const { page, leave } = await visit(browser(), `${world.url}#/requests`);
  await page.evaluate(() => {
    const writeText = (text: string) => {
      document.title = text;
      return Promise.resolve();
    };
    Object.defineProperty(navigator, 'clipboard', { value: { writeText } });
  });
  const rows = page.getByRole('list', { name: /^Requests/ }).getByRole('button');
  await rows.filter({ hasText: '503' }).first().click();
  const copy = page.getByRole('button', { name: 'Copy as curl' });
  expect((await copy.boundingBox())?.y).toBeLessThan(450);
  await copy.click();
  await expect.poll(() => page.title()).toContain(`curl -X POST '${world.url}v1/posts/'`);
  expect(await page.title()).toContain('x-access-key: $SOCIAL_PUBLISHING_ACCESS_KEY');
  await page.getByRole('button', { name: 'Copy as TypeScript' }).click();
  await expect.poll(() => page.title()).toContain(`baseUrl: '${world.url.slice(0, -1)}'`);
  await leave();
});

it('keeps the direction of a sentence that names a post from right to left', async () => {
  await schedulePost(world, '\u202bשלום');
  const { page, leave } = await visit(browser(), world.url);
  await page.getByRole('button', { name: /^Step/ }).click();
  await page.getByText(/“\u2068.*\u2069” is/).waitFor();
  await leave();
});
