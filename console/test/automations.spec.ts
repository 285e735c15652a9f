import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserForAll, desktop, phone, picture, visit } from './support/browser.js';
import { focused } from './support/keyboard.js';
import { clientOf, serveWorld, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;
/** The second Instagram account, and the older one of its two posts. */
let [accountId, place] = ['', ''];

beforeEach(async () => {
  world = await serveWorld((service) => {
    threeAccounts(service);
    accountId = service.seed.integration({ platform: 'instagram', username: 'acme.second' }).id;
    const platforms = [{ platform: 'instagram', accountId }] as const;
    const [first] = ['First', 'Second'].map((content) =>
      service.seed.post({ content, status: 'published', platforms, rawRequestBody: { platforms } }),
    );
    place = first?.platforms?.[0]?.platformPostId ?? '';
    for (const name of ['Older', 'Oldest'])
      service.seed.automation({
        accountId,
        name,
        trigger: { postScope: 'any', keywords: ['guide'], matchMode: 'exact' },
        actions: { publicReplies: ['Sent!'] },
      });
  });
});

afterEach(() => world.close());

async function createAutomation(page: Page, fields: Readonly<Record<string, string>> = {}): Promise<void> {
  await page.getByRole('button', { name: 'New automation' }).click();
  const form = page.getByRole('region', { name: 'New automation' });
  // On a phone, the first field would open the keyboard.
  await expect.poll(() => focused(page)).toBe((page.viewportSize()?.width ?? 0) < 900 ? 'New automation' : 'Account');
  await form.getByLabel('Account').selectOption({ label: 'Instagram @acme.second' });
  const all = { Name: 'Brew guide', Keywords: 'brew, recipe', 'Public replies': 'Hi, we sent it!', ...fields };
  for (const [label, value] of Object.entries(all)) await form.getByLabel(label, { exact: true }).fill(value);
  await form.getByRole('button', { name: 'Create' }).click();
}

describe('a new automation', () => {
  it.each([desktop, { width: 1024, height: 768 }, phone])('is shown after its creation, at %o', async (viewport) => {
    const { page, leave } = await visit(browser(), `${world.url}#/automations`, { viewport });
    await createAutomation(page);
    const heading = page.getByRole('heading', { name: 'Brew guide', level: 2 });
    await heading.waitFor();
    await expect.poll(() => focused(page)).toBe('Brew guide');
    const box = await heading.boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(viewport.height / 2);
    await page.getByText('Brew guide is active. Next, write a comment with its keyword.').waitFor();
    expect(await page.getByRole('button', { name: 'Create' }).count()).toBe(0);
    await picture(page, `automation-created-${viewport.width}`);
    // Its account is not the first one.
    await page.getByText('It has not run yet').getByRole('link', { name: 'Comments' }).click();
    await page.getByRole('heading', { name: 'Comments', level: 1 }).waitFor();
    await expect.poll(() => page.getByLabel('Account').inputValue()).toBe(accountId);
    await page.goBack();
    await page.goBack();
    await expect.poll(() => page.getByRole('button', { name: 'Create' }).count()).toBe(0);
    await leave();
  });

  it('leads to the comments of its post', async () => {
    world.service.seed.eligiblePost({ accountId, id: place, caption: 'First' });
    const { page, leave } = await visit(browser(), `${world.url}#/automations?automation=new`);
    await page.getByLabel('Account').selectOption({ label: 'Instagram @acme.second' });
    await page.getByLabel('Keywords').fill('brew');
    await page.getByLabel('Direct message').fill('Here it is');
    const post = page.getByLabel('Post', { exact: true });
    await post.locator('option', { hasText: 'First' }).waitFor({ state: 'attached' });
    await post.selectOption(place);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('It has not run yet').getByRole('link', { name: 'Comments' }).click();
    await page.getByRole('region', { name: 'Comments on the post' }).getByRole('button', { name: 'First' }).waitFor();
    await leave();
  });

  it('is shown although the list was filtered', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/automations?outcome=failed`);
    await page.getByText('No match in 2 automations').waitFor();
    await createAutomation(page);
    await expect.poll(() => focused(page)).toBe('Brew guide');
    await page.getByText('3 automations').waitFor();
    await leave();
  });

  it('has one public reply per line, which may contain commas', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/automations`);
    await createAutomation(page, { 'Public replies': 'Hi, we sent it!\n\n Look, a message ' });
    await page.getByRole('heading', { name: 'Brew guide' }).waitFor();
    const created = (await clientOf(world).automations.list()).find(({ name }) => name === 'Brew guide');
    expect(created?.actions?.publicReplies).toEqual(['Hi, we sent it!', 'Look, a message']);
    expect(created?.trigger?.keywords).toEqual(['brew', 'recipe']);
    await leave();
  });
});

describe('on a phone', () => {
  it('the page shows either the list, or an automation, or the form', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/automations`, { viewport: phone, hasTouch: true });
    const list = page.getByRole('navigation', { name: 'Automations' });
    const back = page.getByRole('button', { name: 'All automations' });
    await list.waitFor();
    expect(await page.locator('main h2').filter({ visible: true }).count()).toBe(0);
    await list.getByRole('button', { name: /^Oldest/ }).tap();
    await expect.poll(() => focused(page)).toBe('Oldest');
    expect(await list.isVisible()).toBe(false);
    await picture(page, 'phone-automation');
    await back.tap();
    await list.waitFor();
    await expect.poll(() => focused(page)).toMatch(/^Oldest/);
    await page.getByRole('button', { name: 'New automation' }).tap();
    await expect.poll(() => focused(page)).toBe('New automation');
    expect(await list.isVisible()).toBe(false);
    await back.tap();
    await list.waitFor();
    await leave();
  });

  it.each([phone, { width: 320, height: 640 }])('the runs need no horizontal scroll, at %o', async (viewport) => {
    const { service } = world;
    const [{ id } = { id: '' }] = await clientOf(world).automations.list();
    service.incoming.comment({ accountId, postId: place, text: 'guide', author: { id: 'kim', name: 'Kim' } });
    await service.clock.advance({ seconds: 2 });
    const { page, leave } = await visit(browser(), `${world.url}#/automations?automation=${id}`, { viewport });
    const runs = page.getByRole('region', { name: 'Runs' });
    await runs.getByText('succeeded').waitFor();
    await picture(page, `runs-${viewport.width}`);
    expect(await runs.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await leave();
  });
});
