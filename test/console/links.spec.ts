import { afterEach, beforeEach, expect, it } from 'vitest';
import { targetOf } from '../../src/index.js';
import { browserForAll, open, picture, visit } from './support/browser.js';
import { hasVisibleFocus, tabTo } from './support/keyboard.js';
import { clientOf, serveWorld, start, startReceiver, threeAccounts, type World } from './support/world.js';

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
  await world.service.clock.advance({ seconds: 2 });
  const { page, leave } = await visit(browser(), `${world.url}#/comments?account=${accountId}&place=${place}`);
  await page.getByText('Triggered Guide: succeeded').waitFor();
  await tabTo(page, /^Guide$/);
  expect(await hasVisibleFocus(page)).toBe(true);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Automations', level: 1 }).waitFor();
  expect(page.url()).toContain(`automation=${id}`);
  const runs = page.getByRole('region', { name: 'Runs' });
  await picture(page, 'runs');
  await runs.getByRole('link', { name: 'Comments' }).click();
  await page.getByText('Triggered Guide: succeeded').waitFor();
  await open(page, 'Automations');
  await runs.getByRole('button', { name: 'Post' }).click();
  await page.getByRole('dialog', { name: `Post ${post.postId}` }).waitFor();
  await leave();
});
