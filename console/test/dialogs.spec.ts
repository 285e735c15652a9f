import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { targetOf } from '../../src/index.js';
import { browserForAll, desktop, open, phone, visit, type Visit } from './support/browser.js';
import { focused } from './support/keyboard.js';
import { clientOf, serveWorld, start, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;
let visited: Visit;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
  const client = clientOf(world);
  const platforms = (await client.integrations.list().toArray()).map(targetOf);
  await client.posts.create({ content: 'The blue one', platforms, scheduledFor: new Date(start + 3_600_000) });
  visited = await visit(browser(), world.url);
  await open(visited.page, 'Posts');
});

afterEach(() => world.close());

function openPost(page: Page): Promise<void> {
  return page.getByRole('button', { name: /The blue one/ }).click();
}

describe('a dialog that takes the place of another one', () => {
  it('stays open: Edit changes the post, and the focus comes back to where it was', async () => {
    const { page } = visited;
    await openPost(page);
    await page
      .getByRole('dialog', { name: /^Post / })
      .getByRole('button', { name: 'Edit' })
      .click();
    const dialog = page.getByRole('dialog', { name: 'Edit the scheduled post' });
    await dialog.getByLabel('Content').fill('The blue one is back');
    await dialog.getByLabel('acme.tiktok').uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /The blue one is back/ }).waitFor();
    expect(world.service.posts[0]).toMatchObject({ content: 'The blue one is back' });
    expect(world.service.posts[0]?.platforms).toHaveLength(2);
    await expect.poll(() => focused(page)).toMatch(/The blue one/);
    await visited.leave();
  });

  it('stays open: the post for the failed targets is shown', async () => {
    const { page } = visited;
    await world.service.clock.advance({ hours: 2 });
    await openPost(page);
    const first = page.getByRole('dialog', { name: /^Post / });
    await first.getByText('The video is missing').waitFor();
    await first.getByRole('button', { name: 'Publish the failed targets again' }).click();
    await expect.poll(() => world.service.posts.length).toBe(2);
    const again = world.service.posts.find(({ rawRequestBody }) => rawRequestBody?.['publishNow'] === true);
    const second = page.getByRole('dialog', { name: `Post ${again?.postId ?? ''}`, exact: true });
    await second.waitFor();
    await page.keyboard.press('Escape');
    await second.waitFor({ state: 'detached' });
    // Instead of the button, the post links to the new one, so that nothing is published a third time.
    await page
      .getByRole('button', { name: /The blue one/ })
      .last()
      .click();
    await first.getByText(/^The failed targets were published again: /).waitFor();
    expect(await first.getByRole('button', { name: 'Publish the failed targets again' }).count()).toBe(0);
    await first.getByRole('button', { name: again?.postId ?? '', exact: true }).click();
    await second.waitFor();
    expect(world.service.posts).toHaveLength(2);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await visited.leave();
  });
});

describe('a dialog with short forms', () => {
  it.each([
    ['clock', 'Date and time', 'Go to this time'],
    ['state', 'Seed file', 'Add the records'],
  ])('%s: has the button beside its field, and below it on a phone', async (tool, field, button) => {
    const { page } = visited;
    await page.goto(`${world.url}#/posts?tool=${tool}`);
    const dialog = page.getByRole('dialog');
    const places = async () => {
      const boxes = [dialog.getByLabel(field, { exact: true }), dialog.getByRole('button', { name: button })];
      const [input, submit] = await Promise.all(boxes.map((box) => box.boundingBox()));
      if (!input || !submit) throw new Error('The field and its button are shown.');
      return { input, submit };
    };
    await page.setViewportSize(desktop);
    await dialog.getByLabel(field, { exact: true }).waitFor();
    const wide = await places();
    expect(Math.abs(wide.input.y + wide.input.height / 2 - wide.submit.y - wide.submit.height / 2)).toBeLessThan(2);
    expect(wide.submit.x).toBeGreaterThan(wide.input.x + wide.input.width);
    await page.setViewportSize(phone);
    await expect.poll(async () => (await places()).submit.y > wide.input.y).toBe(true);
    const narrow = await places();
    expect(narrow.submit.y).toBeGreaterThan(narrow.input.y + narrow.input.height);
    expect(narrow.submit.x).toBe(narrow.input.x);
    await visited.leave();
  });
});
