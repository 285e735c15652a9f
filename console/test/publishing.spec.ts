import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { open, picture, browserForAll, visit, type Visit } from './support/browser.js';
import { focused, hasVisibleFocus, tabTo } from './support/keyboard.js';
import { serveWorld, startReceiver, threeAccounts, type Receiver, type World } from './support/world.js';

const browser = browserForAll();
let world: World;
let receiver: Receiver;
let visited: Visit;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
  receiver = await startReceiver(() => world.service.clock.now());
  visited = await visit(browser(), world.url);
});

afterEach(async () => {
  await world.close();
  await receiver.close();
});

/** Subscribes the receiver in the page, and hands it the secret that the page shows. */
async function subscribe(page: Page): Promise<void> {
  await open(page, 'Webhooks');
  await page.getByRole('link', { name: 'Subscribe a webhook' }).click();
  await page.getByLabel('URL').fill(receiver.url);
  await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
  await page.getByText('Signing secret').click();
  receiver.secret = await secretIn(page);
  await page.getByRole('button', { name: 'Deliveries' }).click();
}

async function secretIn(page: Page): Promise<string> {
  return (await page.locator('.subscriptions pre').textContent()) ?? '';
}

describe('with the mouse', () => {
  it('schedules a post, steps the clock, shows which target failed and why, and delivers twice what is handled once', async () => {
    const { page } = visited;
    await subscribe(page);
    await open(page, 'Calendar');
    await page.getByRole('button', { name: 'New post', exact: true }).click();
    const composer = page.getByRole('dialog', { name: 'New post' });
    await composer.getByLabel('Content').fill('The blue one is back.');
    for (const name of ['acme.instagram', 'acme.facebook', 'acme.tiktok']) await composer.getByLabel(name).check();
    await composer.getByLabel('Time', { exact: true }).fill('2027-03-11T08:30');
    await composer.getByLabel('Media').fill('https://images.example/blue.jpg');
    await composer.getByRole('button', { name: 'Schedule' }).click();
    await composer.waitFor({ state: 'detached' });

    const day = page.getByRole('button', { name: /^Thursday,? 11 March 2027, 1 post: 1 scheduled/ });
    await day.click();
    await picture(page, 'calendar-scheduled');
    expect(world.service.posts[0]).toMatchObject({
      status: 'scheduled',
      scheduledFor: '2027-03-11T07:30:00.000Z',
      mediaItems: [{ url: 'https://images.example/blue.jpg' }],
    });

    await page.getByRole('button', { name: /^Step to 11 Mar 2027, 08:30/ }).click();
    const panel = page.getByRole('region', { name: /Posts of Thursday/ });
    await panel.getByText('partial').waitFor();
    await panel.getByRole('button', { name: /The blue one/ }).click();
    const post = page.getByRole('dialog', { name: /^Post / });
    const failed = post.getByRole('listitem').filter({ hasText: 'TikTok' });
    await failed.getByText('The video is missing').waitFor();
    await expect.poll(() => failed.innerText()).toContain('failed');
    await expect
      .poll(() => post.getByRole('listitem').filter({ hasText: 'acme.facebook' }).innerText())
      .toContain('published');
    await picture(page, 'post-partial');
    await page.keyboard.press('Escape');

    await open(page, 'Webhooks');
    await page.getByRole('button', { name: /^post\.partial Delivered/ }).click();
    await page.getByText('Signature valid').waitFor();
    await page.getByRole('button', { name: 'Deliver twice' }).click();
    await expect.poll(() => page.getByRole('region', { name: 'Attempts' }).getByRole('row').count()).toBe(4);
    await picture(page, 'webhooks');
    expect(receiver.handled).toEqual(['post.scheduled', 'post.partial']);
    expect(receiver.statuses).toHaveLength(4);
    await visited.leave();
  });
});

describe('with the keyboard alone', () => {
  it('does the same, shows where the focus is, and gives it back after each dialog', async () => {
    const { page } = visited;
    const press = (key: string) => page.keyboard.press(key);
    await press('Tab');
    await expect.poll(() => focused(page)).toBe('Skip to the content');
    await tabTo(page, /^Webhooks$/);
    await press('Enter');
    await expect.poll(() => focused(page)).toBe('Webhooks');
    await tabTo(page, /^Subscriptions \(0\)$/);
    await press('Enter');
    await page.getByText('No subscriptions yet').waitFor();
    await tabTo(page, /^URL$/);
    await page.keyboard.type(receiver.url);
    await press('Enter');
    await page.getByText('Signing secret').waitFor();
    receiver.secret = await secretIn(page);
    await tabTo(page, /^Deliveries$/);
    await press('Enter');
    await tabTo(page, /^Calendar$/);
    await press('Enter');
    await tabTo(page, /^New post$/);
    await expect.poll(() => hasVisibleFocus(page)).toBe(true);
    await picture(page, 'keyboard-focus');
    await press('Enter');
    await page.getByRole('dialog', { name: 'New post' }).waitFor();
    await tabTo(page, /^Content$/);
    await page.keyboard.type('Written without a mouse');
    for (const name of [/acme\.instagram/, /acme\.facebook/, /acme\.tiktok/].reverse()) {
      await tabTo(page, name);
      await expect.poll(() => hasVisibleFocus(page)).toBe(true);
      await press('Space');
    }
    await tabTo(page, /^Schedule$/);
    await press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe('New post');

    await tabTo(page, /^Step to/);
    await press('Enter');
    await expect.poll(() => world.service.posts[0]?.status).toBe('partial');
    await tabTo(page, /10 March 2027, 1 post: 1 partial/);
    await press('ArrowRight');
    await expect.poll(() => focused(page)).toMatch(/11 March 2027/);
    await press('ArrowLeft');
    await expect.poll(() => focused(page)).toMatch(/10 March 2027/);
    await tabTo(page, /Written without a mouse/);
    await press('Enter');
    await page.getByText('The video is missing', { exact: true }).waitFor();
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toMatch(/Written without a mouse/);

    await tabTo(page, /^Webhooks$/);
    await press('Enter');
    await tabTo(page, /^post\.partial Delivered/);
    await press('Enter');
    await tabTo(page, /^Deliver twice$/);
    await press('Enter');
    await expect.poll(() => page.getByRole('region', { name: 'Attempts' }).getByRole('row').count()).toBe(4);
    expect(receiver.handled).toEqual(['post.scheduled', 'post.partial']);
    await visited.leave();
  });
});
