import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserForAll, phone, picture, visit } from './support/browser.js';
import { focused } from './support/keyboard.js';
import { serveWorld, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;
let accountId: string;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
  accountId = world.service.seed.integration({ platform: 'instagram', username: 'acme.third' }).id;
});

afterEach(() => world.close());

const day = 86_400_000;

/** Seeds a post that was published some days ago. Returns its ID on the platform. */
function publish(content: string, daysAgo = 1): string {
  const platforms = [{ platform: 'instagram', accountId }] as const;
  const at = new Date(world.service.clock.now() - daysAgo * day).toISOString();
  const post = world.service.seed.post({
    content,
    status: 'published',
    createdAt: at,
    platforms: [{ platform: 'instagram', accountId, publishedAt: at }],
    rawRequestBody: { platforms },
  });
  return post.platforms?.[0]?.platformPostId ?? '';
}

const comment = (postId: string, text = 'Nice') =>
  world.service.incoming.comment({ accountId, postId, text, author: { id: 'kim', name: 'Kim' } });

const address = (more = '') => `${world.url}#/comments?account=${accountId}${more}`;

describe('the posts of an account', () => {
  it('are listed with the number of their comments, posts with comments first, then the latest', async () => {
    const old = publish('The old one', 9);
    publish('The quiet one', 5);
    const full = publish('The full one', 7);
    publish('The new one', 1);
    for (let index = 0; index < 12; index += 1) comment(full, `Comment ${index}`);
    const { page, leave } = await visit(browser(), address());
    const rows = page.getByRole('list', { name: /^Posts/ }).getByRole('button');
    await expect.poll(() => rows.count()).toBe(4);
    await page.getByText('Posts with comments first, then the latest.', { exact: true }).waitFor();
    const shown = async () =>
      (await rows.allInnerTexts()).map((text) => text.split(/\n+/).filter((line) => !/\d{4}/.test(line)));
    expect(await shown()).toEqual([
      ['The full one', '9+ comments'],
      ['The new one', 'no comments'],
      ['The quiet one', 'no comments'],
      ['The old one', 'no comments'],
    ]);
    comment(old);
    await expect.poll(async () => (await shown())[1]).toEqual(['The old one', '1 comment']);
    // The chosen post stays.
    await page.getByRole('region', { name: 'Comments on the post' }).getByText('The full one').waitFor();
    await page.getByRole('heading', { name: '12 comments' }).waitFor();
    await picture(page, 'comments');
    await leave();
  });

  it('are counted only for the latest 20, and the page says so', async () => {
    for (let index = 1; index <= 25; index += 1) publish(`Post ${index}`, index);
    const { page, leave } = await visit(browser(), world.url);
    let reads = 0;
    page.on('request', (request) => {
      if (request.url().includes('/v1/comments/')) reads += 1;
    });
    await page.goto(address());
    await page.getByText('Comments are counted for the latest 20 posts.').waitFor();
    await page.getByRole('button', { name: /^Post 1 .*no comments/ }).press('End');
    const last = page.getByRole('button', { name: /^Post 25 / });
    await last.waitFor();
    expect(await last.innerText()).not.toContain('comments');
    await page.getByText('No comments yet').waitFor();
    // The latest 20, and the chosen one.
    expect(reads).toBe(21);
    await leave();
  });

  it('have a button on a phone that leads past all comments to the form', async () => {
    const full = publish('The full one');
    for (let index = 0; index < 12; index += 1) comment(full, `Comment ${index}`);
    const { page, leave } = await visit(browser(), address(`&place=${full}`), { viewport: phone, hasTouch: true });
    const field = page.getByLabel('Comment', { exact: true });
    await field.waitFor();
    const isInSight = () => field.evaluate((element) => element.getBoundingClientRect().bottom <= innerHeight);
    expect(await isInSight()).toBe(false);
    await page.getByRole('button', { name: 'Write a comment' }).tap();
    await expect.poll(isInSight).toBe(true);
    await expect.poll(() => focused(page)).toBe('Comment');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: 'Write a comment' }).waitFor({ state: 'detached' });
    await leave();
  });

  it('take the page on a phone until one is chosen, and come back with the focus on its row', async () => {
    publish('The new one', 1);
    publish('The old one', 5);
    const { page, leave } = await visit(browser(), address(), { viewport: phone, hasTouch: true });
    const rows = page.getByRole('list', { name: /^Posts/ }).getByRole('button');
    const item = page.getByRole('region', { name: 'Comments on the post' });
    await rows.first().waitFor();
    expect(await item.isVisible()).toBe(false);
    await rows.nth(1).tap();
    await item.getByText('The old one').waitFor();
    await item.getByText('No comments yet').waitFor();
    expect(await rows.first().isVisible()).toBe(false);
    await page.getByRole('button', { name: 'All posts' }).tap();
    await rows.first().waitFor();
    await expect.poll(() => focused(page)).toMatch(/The old one/);
    await leave();
  });
});

it('another account shows its own posts, not a message about the post of the first account', async () => {
  const place = publish('The new one');
  const { page, leave } = await visit(browser(), address(`&place=${place}`));
  await page.getByRole('region', { name: 'Comments on the post' }).getByText('The new one').waitFor();
  await page.getByLabel('Account').selectOption({ label: 'Instagram @acme.instagram' });
  await page.getByText('No published post of a platform with comments').waitFor();
  expect(page.url()).not.toContain('place=');
  await leave();
});

it('the form names the keywords of automations that watch the post, and leads to the automation', async () => {
  const place = publish('The blue one');
  const other = publish('The red one');
  const { seed } = world.service;
  seed.automation({ accountId, trigger: { keywords: ['guide', 'recipe'] } });
  seed.automation({ accountId, trigger: { keywords: ['elsewhere'], platformPostId: other } });
  const { page, leave } = await visit(browser(), address(`&place=${place}`));
  await page.getByText('These keywords trigger an automation: guide, recipe').waitFor();
  await page.getByLabel('Comment', { exact: true }).fill('guide');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByRole('region', { name: /^Automation/ }).waitFor();
  await leave();
});

it('few comments are directly below each other, above the room for more', async () => {
  const place = publish('The new one');
  for (const text of ['First', 'Second', 'Third']) comment(place, text);
  const { page, leave } = await visit(browser(), address());
  const items = page.getByRole('list', { name: 'Comments', exact: true }).getByRole('listitem');
  await items.nth(2).waitFor();
  const heights = await items.evaluateAll((all) => all.map((item) => item.getBoundingClientRect().height));
  expect(Math.max(...heights)).toBeLessThan(80);
  await leave();
});

it('a link to an unknown post or comment says that it does not exist', async () => {
  const place = publish('The new one');
  comment(place);
  const { page, leave } = await visit(browser(), address('&place=ig_9'));
  await page.getByText('No post of this account has the ID ig_9. It may have been removed.').waitFor();
  await page.getByRole('button', { name: 'All posts' }).click();
  await page.getByRole('heading', { name: '1 comment' }).waitFor();
  await page.goto(address(`&place=${place}&comment=comment_99`));
  await page.getByText('No comment on this post has the ID comment_99. It may have been removed.').waitFor();
  await leave();
});

it('the text of a comment is kept while its post is removed, and while another view is open', async () => {
  publish('The new one');
  const { page, leave } = await visit(browser(), address());
  const form = page.getByRole('form', { name: 'Write as a follower' });
  await form.getByLabel('Comment').fill('A long text');
  await fetch(`${world.url}_emulator/reset`, { method: 'POST', body: JSON.stringify({ to: 'empty' }) });
  await form.waitFor({ state: 'detached' });
  threeAccounts(world.service);
  accountId = world.service.seed.integration({ platform: 'instagram', username: 'acme.fourth' }).id;
  publish('The next one');
  await page.goto(address());
  await expect.poll(() => form.getByLabel('Comment').inputValue()).toBe('A long text');
  await page.goto(`${world.url}#/posts`);
  await form.waitFor({ state: 'detached' });
  await page.goto(address());
  await expect.poll(() => form.getByLabel('Comment').inputValue()).toBe('A long text');
  await form.getByRole('button', { name: 'Comment' }).click();
  await page.getByRole('heading', { name: '1 comment' }).waitFor();
  await page.goto(`${world.url}#/posts`);
  await page.goto(address());
  await form.waitFor();
  await expect.poll(() => form.getByLabel('Comment').inputValue()).toBe('');
  await leave();
});
