import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { targetOf } from '../../src/index.js';
import { browserForAll, desktop, phone, picture, visit } from './support/browser.js';
import { clientOf, schedulePost, serveWorld, start, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
const hourMs = 3_600_000;
let world: World;

beforeEach(async () => {
  world = await serveWorld((service) => {
    for (const platform of ['linkedin', 'bluesky', 'youtube'] as const) service.seed.integration({ platform });
    threeAccounts(service);
  });
});

afterEach(() => world.close());

/** Counts the letters of a text that are in sight. It runs in the page. */
function lettersInSight(element: Element): number {
  const [box, node, range] = [element.getBoundingClientRect(), element.firstChild, document.createRange()];
  const isSeen = (index: number) => {
    if (node === null) return false;
    range.setStart(node, index);
    range.setEnd(node, index + 1);
    const { right, bottom } = range.getBoundingClientRect();
    return right <= box.right + 1 && bottom <= box.bottom + 1;
  };
  return Array.from({ length: node?.textContent?.length ?? 0 }, (_, index) => index).filter(isSeen).length;
}

/** Publishes posts to one account each. The last ones fail. */
async function publish(count: number, failed: number): Promise<void> {
  const accounts = await clientOf(world).integrations.list().toArray();
  const accountOn = (name: string) => accounts.filter(({ platform }) => platform === name).map(targetOf);
  for (let index = 0; index < count; index += 1)
    await clientOf(world).posts.create({
      content: `Post ${index}`,
      platforms: accountOn(index < count - failed ? 'instagram' : 'tiktok'),
      scheduledFor: new Date(start + (index + 1) * 60_000),
    });
  await world.service.clock.advance({ hours: 3 });
}

describe('a partial post in the month', () => {
  it.each([
    [1440, 'none'],
    [1024, 'none'],
    [1440, 'active'],
  ] as const)(
    'shows its status and the failed target first at %d px, forced colors: %s',
    async (width, forcedColors) => {
      await schedulePost(world, 'To six accounts');
      await world.service.clock.advance({ hours: 2 });
      const viewport = { width, height: 900 };
      const { page, leave } = await visit(browser(), world.url, { viewport, forcedColors });
      const chip = page.getByRole('cell').getByRole('button', { name: /To six accounts/ });
      await chip.waitFor();
      expect(await chip.locator('.sign-partial .icon').isVisible()).toBe(true);
      expect(await chip.locator('.target').first().getAttribute('title')).toBe('TikTok: failed');
      expect(await chip.locator('.target-failed > .icon').isVisible()).toBe(true);
      expect(await chip.locator('.target-failed').count()).toBe(1);
      await chip.getByText('+5').waitFor();
      await picture(page, `chip-partial-${width}-${forcedColors}`);
      await leave();
    },
  );

  it('has a symbol at the number of the targets without room, if one of them failed', async () => {
    world.service.publishing.outcome({ platform: 'youtube', error: 'The video is short' });
    await schedulePost(world, 'To six accounts');
    await world.service.clock.advance({ hours: 2 });
    const { page, leave } = await visit(browser(), world.url);
    const chip = page.getByRole('cell').getByRole('button', { name: /To six accounts/ });
    await chip.getByText('+5').waitFor();
    expect(await chip.locator('.target-failed > .icon').count()).toBe(2);
    await chip.getByText(', 1 failed').waitFor({ state: 'attached' });
    await leave();
  });
});

describe('the month', () => {
  it.each([
    [1440, 24],
    [1024, 18],
  ])('at %d px shows %d letters of a post and more, at a readable size', async (width, letters) => {
    const text = 'We say at noon what is to be had at the market, and for how much';
    await schedulePost(world, text);
    const { page, leave } = await visit(browser(), world.url, { viewport: { width, height: 900 } });
    const shown = page.locator('.chip-text', { hasText: text });
    await shown.waitFor();
    const seen = await shown.evaluate(lettersInSight);
    expect(seen).toBeGreaterThan(letters);
    const sizes = await page
      .locator('.chip-text, .chip-time, .calendar .more')
      .evaluateAll((all) => all.map((element) => parseFloat(getComputedStyle(element).fontSize)));
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(12);
    await leave();
  });

  it('gives weeks without posts less room than weeks with posts', async () => {
    await schedulePost(world, 'The only one');
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('cell').getByText('The only one').waitFor();
    const heights = await page
      .getByRole('row')
      .evaluateAll((rows) => rows.slice(1).map((row) => row.getBoundingClientRect().height));
    expect(heights.filter((height) => height > 90)).toHaveLength(1);
    expect(Math.min(...heights)).toBeGreaterThan(44);
    await leave();
  });

  it.each([1440, 1024])('at %d px shows five posts of a day, each with time, targets and text', async (width) => {
    for (let index = 0; index < 5; index += 1) await schedulePost(world, 'What is at the market', start + hourMs);
    const { page, leave } = await visit(browser(), world.url, { viewport: { width, height: 900 } });
    const chip = page.locator('.calendar .chip').nth(4);
    await chip.waitFor();
    expect(await chip.locator('.chip-text').evaluate(lettersInSight)).toBeGreaterThan(8);
    expect(await chip.locator('.chip-time').isVisible()).toBe(true);
    expect(await chip.locator('.platform').first().isVisible()).toBe(true);
    await leave();
  });

  it.each([
    [1440, 6, true],
    [1024, 7, false],
  ])(
    'at %d px shows more than %d letters of each post of a full day, and its time: %s',
    async (width, letters, isTimed) => {
      for (let index = 0; index < 6; index += 1) await schedulePost(world, 'What is at the market', start + hourMs);
      const { page, leave } = await visit(browser(), world.url, { viewport: { width, height: 900 } });
      const text = page.locator('.chip-text').nth(5);
      await text.waitFor();
      expect(await text.evaluate(lettersInSight)).toBeGreaterThan(letters);
      expect(await page.locator('.chip-time').nth(5).isVisible()).toBe(isTimed);
      await leave();
    },
  );

  it.each([1440, 1200, 1024])('at %d px marks a failed target without another line', async (width) => {
    await schedulePost(world, 'To six accounts');
    await world.service.clock.advance({ hours: 2 });
    const { page, leave } = await visit(browser(), world.url, { viewport: { width, height: 900 } });
    const chip = page.getByRole('cell').getByRole('button', { name: /To six accounts/ });
    await chip.waitFor();
    const boxOf = async (selector: string) => (await chip.locator(selector).boundingBox()) ?? { x: 0, y: 0, width: 0 };
    const time = await boxOf('.chip-time');
    const badge = await boxOf('.platform');
    const mark = await boxOf('.target-failed > .icon');
    const others = await boxOf('.more');
    expect(Math.abs(badge.y - time.y)).toBeLessThan(6);
    expect(Math.abs(others.y - time.y)).toBeLessThan(6);
    expect(badge.x).toBeGreaterThanOrEqual(time.x + time.width);
    expect(others.x).toBeGreaterThanOrEqual(mark.x + mark.width - 1);
    await leave();
  });

  it('has posts that are high enough to be pressed', async () => {
    await publish(9, 0);
    const { page, leave } = await visit(browser(), world.url);
    const chips = page.locator('.calendar .chip');
    await chips.nth(4).waitFor();
    const heights = await chips.evaluateAll((all) => all.map((chip) => chip.getBoundingClientRect().height));
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(24);
    await leave();
  });
});

describe('a day with more posts than it shows', () => {
  it('shows failed ones, in order of time, and counts the others', async () => {
    await publish(9, 2);
    const { page, leave } = await visit(browser(), world.url);
    const cell = page.getByRole('cell').filter({ has: page.locator('.chip') });
    await cell.getByText('+4 more', { exact: true }).waitFor();
    expect(await cell.locator('.chip-text').allInnerTexts()).toEqual([0, 1, 2, 7, 8].map((index) => `Post ${index}`));
    await leave();
  });

  it('names the failed ones that it does not show', async () => {
    await publish(9, 7);
    const { page, leave } = await visit(browser(), world.url);
    const more = page.getByRole('cell').getByText(/^\+4 more/);
    await more.waitFor();
    expect((await more.innerText()).replaceAll(/\s+/g, ' ')).toBe('+4 more 2 failed or partial');
    expect(
      await page
        .getByRole('region', { name: /^Posts of/ })
        .getByText('9 posts: 2 published, 7 failed')
        .count(),
    ).toBe(1);
    await picture(page, 'chips-failed');
    await leave();
  });

  it('shows the symbols of failed ones on a phone', async () => {
    await publish(9, 2);
    const { page, leave } = await visit(browser(), world.url, { viewport: phone });
    await page.locator('.marks .sign-failed').nth(1).waitFor();
    await expect.poll(() => page.locator('.marks').innerText()).toBe('+6');
    await leave();
  });
});

it('a phone shows a warning for a scheduled post that will fail', async () => {
  await schedulePost(world, 'The blue one', start + 26 * hourMs);
  const [account] = await clientOf(world).integrations.list({ platform: 'facebook' }).toArray();
  world.service.accounts.expire(account?.id ?? '');
  const { page, leave } = await visit(browser(), world.url, { viewport: phone });
  await page.locator('.marks .sign-partial').waitFor();
  await leave();
});

it('a row under the name of a day has only the time', async () => {
  await schedulePost(world, 'The blue one', start + 26 * hourMs);
  const { page, leave } = await visit(browser(), `${world.url}#/calendar?layout=agenda`, { viewport: desktop });
  const time = page.getByRole('button', { name: /The blue one/ }).locator('.post-time');
  await time.waitFor();
  const shown = await time.evaluate((element) => {
    const copy = element.cloneNode(true) as HTMLElement;
    for (const unseen of copy.querySelectorAll('.unseen')) unseen.remove();
    return copy.textContent;
  });
  expect(shown).toBe('12:00');
  await leave();
});
