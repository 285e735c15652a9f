import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { targetOf } from '../../src/index.js';
import { browserForAll, picture, visit } from './support/browser.js';
import { focused } from './support/keyboard.js';
import { clientOf, schedulePost, serveWorld, start, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
const hourMs = 3_600_000;
const words = 'The account is not connected, so this target will fail.';
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

const accountOn = async (name: 'facebook' | 'tiktok') => {
  const [account] = await clientOf(world).integrations.list({ platform: name }).toArray();
  return account?.id ?? '';
};

describe('a scheduled post on an account that is not connected', () => {
  it('has a warning in the lists, the calendar and its dialog, until the account is connected again', async () => {
    await schedulePost(world, 'The blue one', start + 26 * hourMs);
    const id = await accountOn('facebook');
    world.service.accounts.expire(id);
    const { page, leave } = await visit(browser(), `${world.url}#/posts`);
    const row = page.getByRole('button', { name: /The blue one/ });
    await row.getByText(`Facebook: ${words}`).waitFor();
    await row.click();
    await page.getByRole('dialog').getByText(words).waitFor();
    await picture(page, 'will-fail');
    for (const layout of ['month', 'week']) {
      await page.goto(`${world.url}#/calendar?layout=${layout}`);
      const chip = page.locator('.chip', { hasText: 'The blue one' });
      await chip.locator('.target[title="Facebook: will fail"] > .icon').waitFor();
      await chip.locator('.sign-partial').waitFor();
    }
    world.service.accounts.reconnect(id);
    await page.goto(`${world.url}#/posts`);
    await row.waitFor();
    await row.getByText(words).waitFor({ state: 'detached' });
    await leave();
  });

  it('is counted in the row of the account, which leads to it', async () => {
    await schedulePost(world, 'The blue one', start + 26 * hourMs);
    world.service.accounts.expire(await accountOn('facebook'));
    const { page, leave } = await visit(browser(), `${world.url}#/accounts`);
    await page.getByRole('link', { name: '1 scheduled post will fail' }).click();
    await page.getByText(/1 post, on Facebook @acme\.facebook/).waitFor();
    await leave();
  });
});

describe('the notice of a new post', () => {
  it('says what happened to a post whose time was past, as soon as it is published', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts?compose=any`);
    const dialog = page.getByRole('dialog', { name: 'New post' });
    await dialog.getByLabel('Content').fill('Too late');
    await dialog.getByRole('button', { name: 'Select all' }).click();
    await dialog.getByLabel('Time', { exact: true }).fill('2027-03-01T08:00');
    await dialog.getByRole('button', { name: 'Schedule' }).click();
    expect(world.service.posts).toEqual([]);
    await dialog.getByRole('button', { name: 'Confirm: the time is past' }).click();
    const notice = page.locator('.notice');
    await notice.getByText(/^The post is scheduled for 1 Mar 2027, 08:00\. That time is past/).waitFor();
    expect(await notice.getAttribute('class')).toContain('notice-warn');
    await world.service.clock.advance({ seconds: 1 });
    await notice.getByText('The post is published only in part. TikTok: The video is missing').waitFor();
    expect(await notice.getAttribute('class')).toContain('notice-bad');
    await notice.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('dialog', { name: /^Post post_/ }).waitFor();
    await leave();
  });

  it('says what happened after "Move the clock to its time"', async () => {
    const postId = await schedulePost(world, 'The blue one', start + 26 * hourMs);
    const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${postId}`);
    await page.getByRole('button', { name: 'Move the clock to its time' }).click();
    await page.locator('.notice-bad', { hasText: 'Posts: 1 partial.' }).waitFor();
    expect(await page.getByText('being published').count()).toBe(0);
    await leave();
  });
});

describe('failed targets that are published again', () => {
  const media = [{ type: 'image', url: 'https://images.example/blue.jpg' }];

  /** Publishes a post whose target on TikTok fails. Returns its ID. */
  async function publishPartly(): Promise<string> {
    const platforms = (await clientOf(world).integrations.list().toArray()).map(targetOf);
    const body = { content: 'The blue one', platforms, publishNow: true } as const;
    return (await clientOf(world).posts.create(body, { extraBody: { mediaItems: media } })).postId;
  }

  it('link both posts, keep the media, and are not published a third time after a reload', async () => {
    const postId = await publishPartly();
    world.service.publishing.reset();
    const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${postId}`);
    const again = page.getByRole('button', { name: 'Publish the failed targets again' });
    await again.click();
    const dialog = page.getByRole('dialog', { name: /^Post post_2/ });
    await dialog.getByText(`Publishes the failed targets of ${postId} again.`).waitFor();
    await dialog.getByText('image').first().waitFor();
    expect(world.service.posts[1]?.mediaItems).toMatchObject(media);
    await dialog.getByRole('button', { name: postId }).click();
    const link = page.getByRole('dialog', { name: `Post ${postId}` }).getByRole('button', { name: 'post_2' });
    await link.waitFor();
    await page.reload();
    await link.waitFor();
    expect(await again.count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByText('failed targets published again').waitFor();
    expect(world.service.posts).toHaveLength(2);
    await leave();
  });

  it('are reported as failed if they fail again, with the reason beforehand', async () => {
    world.service.accounts.expire(await accountOn('tiktok'));
    const postId = await publishPartly();
    const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${postId}`);
    await page.getByText('The account is not connected: reconnect it first.').waitFor();
    await page.getByRole('button', { name: 'Publish the failed targets again' }).click();
    await page.locator('.notice-bad', { hasText: /^The new post for the failed targets failed\. TikTok: / }).waitFor();
    await leave();
  });

  it('are published by the keys of a form, after the account is connected again in the dialog', async () => {
    world.service.publishing.reset();
    world.service.accounts.expire(await accountOn('tiktok'));
    const postId = await publishPartly();
    const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${postId}`);
    const dialog = page.getByRole('dialog', { name: `Post ${postId}` });
    await dialog.getByRole('button', { name: 'Reconnect: TikTok @acme.tiktok' }).click();
    await dialog.getByText('The account is connected again.', { exact: true }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toMatch(/connected again/);
    await expect
      .poll(() => dialog.getByRole('button', { name: 'Publish the failed targets again' }).innerText())
      .toContain('Ctrl Enter');
    await page.keyboard.press('Control+Enter');
    await page.getByText(`Publishes the failed targets of ${postId} again.`).waitFor();
    await page.keyboard.press('Control+Enter');
    expect(world.service.posts.map(({ status }) => status)).toEqual(['partial', 'published']);
    await leave();
  });

  it('belong to the emulator in which they failed: a reset forgets them', async () => {
    const postId = await publishPartly();
    const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${postId}`);
    await page.getByRole('button', { name: 'Publish the failed targets again' }).click();
    await page.getByText(`Publishes the failed targets of ${postId} again.`).waitFor();
    await page.request.post(`${world.url}_emulator/reset`, { data: { to: 'empty' } });
    threeAccounts(world.service);
    await publishPartly();
    await page.goto(`${world.url}#/posts`);
    const rows = page.getByRole('button', { name: /The blue one/ });
    await expect.poll(() => rows.count()).toBe(1);
    await rows.click();
    await page.getByRole('button', { name: 'Publish the failed targets again' }).waitFor();
    await leave();
  });
});

describe('a move to a past time', () => {
  it('waits for a confirmation, after a drag and after a key', async () => {
    const postId = await schedulePost(world, 'The blue one', start + 26 * hourMs);
    const timeOf = () => world.service.posts.find((post) => post.postId === postId)?.scheduledFor;
    const { page, leave } = await visit(browser(), world.url);
    const chip = page.getByRole('cell').getByRole('button', { name: /The blue one/ });
    await chip.dragTo(page.locator('td[data-date="2027-03-02"]'));
    const notice = page.locator('.notice');
    await notice
      .getByText('“The blue one” was not moved: 2 Mar 2027, 12:00 is past, so it would be published.')
      .waitFor();
    expect(timeOf()).toBe('2027-03-11T11:00:00.000Z');
    await page.locator('[data-day="2027-03-11"]').click();
    await page
      .getByRole('list', { name: /^Posts of the day/ })
      .getByRole('button', { name: /The blue one/ })
      .focus();
    for (let pressed = 0; pressed < 2; pressed += 1) await page.keyboard.press('Shift+ArrowLeft');
    await notice
      .getByText(/9 Mar 2027, 12:00 is past|10 Mar 2027, 12:00/)
      .first()
      .waitFor();
    await expect.poll(timeOf).toBe('2027-03-10T11:00:00.000Z');
    await page.keyboard.press('Shift+ArrowLeft');
    await notice
      .getByText('“The blue one” was not moved: 9 Mar 2027, 12:00 is past, so it would be published.')
      .waitFor();
    await notice.getByRole('button', { name: 'Move it there' }).click();
    await expect.poll(timeOf).toBe('2027-03-09T11:00:00.000Z');
    await leave();
  });
});

describe('the undo of a move', () => {
  it('is Ctrl+Z, and leads back to the day of the post', async () => {
    await schedulePost(world, 'The blue one', start + 26 * hourMs);
    const { page, leave } = await visit(browser(), world.url);
    const chip = page.getByRole('cell').getByRole('button', { name: /The blue one/ });
    await chip.dragTo(page.locator('td[data-date="2027-03-23"]'));
    await page.getByRole('region', { name: /^Posts of .*23 March/ }).waitFor();
    await page.keyboard.press('Control+z');
    await page.getByText('“The blue one” is back at 11 Mar 2027, 12:00.').waitFor();
    await page.getByRole('region', { name: /^Posts of .*11 March/ }).waitFor();
    await expect.poll(() => focused(page)).toMatch(/The blue one/);
    await leave();
  });

  it('undoes one move after the other, also without a notice, and says when none is left', async () => {
    await schedulePost(world, 'The blue one', start + 26 * hourMs);
    const { page, leave } = await visit(browser(), world.url);
    const chip = page.getByRole('cell').getByRole('button', { name: /The blue one/ });
    for (const day of ['18', '25']) await chip.dragTo(page.locator(`td[data-date="2027-03-${day}"]`));
    await page.getByText(/moved to 25 Mar/).waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    for (const day of ['18', '11']) {
      await page.keyboard.press('Control+z');
      await page.getByText(`“The blue one” is back at ${day} Mar 2027, 12:00.`).waitFor();
    }
    await page.keyboard.press('Control+z');
    await page.getByText('There is no move to undo.').waitFor();
    await leave();
  });

  it('leaves Ctrl+Z in a text field to the browser', async () => {
    const postId = await schedulePost(world, 'The blue one', start + 26 * hourMs);
    const { page, leave } = await visit(browser(), world.url);
    await page
      .getByRole('cell')
      .getByRole('button', { name: /The blue one/ })
      .dragTo(page.locator('td[data-date="2027-03-23"]'));
    await page.getByText(/moved to 23 Mar/).waitFor();
    await page.goto(`${world.url}#/posts`);
    await page.getByRole('searchbox').fill('blue');
    await page.keyboard.press('Control+z');
    expect(world.service.posts.find((post) => post.postId === postId)?.scheduledFor).toBe('2027-03-23T11:00:00.000Z');
    await leave();
  });
});

it('a double click on a button of an account acts once', async () => {
  const { page, leave } = await visit(browser(), `${world.url}#/accounts`);
  await page.getByRole('button', { name: /^Expire token: TikTok/ }).dblclick();
  await page.getByRole('button', { name: /^Reconnect: TikTok/ }).waitFor();
  await page.getByRole('button', { name: /^Reconnect: TikTok/ }).dblclick();
  await page.getByRole('button', { name: /^Expire token: TikTok/ }).waitFor();
  await page.getByText('TikTok @acme.tiktok: The account is connected again.').waitFor();
  expect(await page.getByRole('button', { name: /^Reconnect/ }).count()).toBe(0);
  await leave();
});
