import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserForAll, visit } from './support/browser.js';
import { focused } from './support/keyboard.js';
import { schedulePost, serveWorld, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

describe('the form for a new automation', () => {
  it('begins in its first field, and Cancel leads back without its text', async () => {
    const { id: accountId } = world.service.seed.integration({ platform: 'instagram', username: 'acme.third' });
    world.service.seed.automation({ accountId, name: 'Guide', trigger: { keywords: ['guide'] } });
    const { page, leave } = await visit(browser(), `${world.url}#/automations`);
    const form = page.getByRole('region', { name: 'New automation' });
    const begin = page.getByRole('button', { name: 'New automation' });
    await begin.click();
    await expect.poll(() => focused(page)).toMatch(/Account/);
    await form.getByLabel('Keywords').fill('recipe');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('region', { name: 'Automation Guide' }).waitFor();
    await expect.poll(() => focused(page)).toMatch(/Guide/);
    await begin.click();
    await expect.poll(() => form.getByLabel('Keywords').inputValue()).toBe('');
    await leave();
  });
});

it('after the last rule is removed, the focus is just before the form for a new one', async () => {
  world.service.faults.add({ kind: 'status', status: 503 });
  const { page, leave } = await visit(browser(), `${world.url}#/faults`);
  await page.getByRole('button', { name: /^Remove the rule/ }).press('Enter');
  await page.keyboard.press('Enter');
  await page.getByText('Every request is answered as documented.').waitFor();
  await expect.poll(() => focused(page)).toBe('Requests');
  await page.keyboard.press('Tab');
  await expect.poll(() => focused(page)).toMatch(/What happens/);
  await leave();
});

it('the clock that went back goes forward again by its notice', async () => {
  const before = world.service.clock.now();
  const { page, leave } = await visit(browser(), `${world.url}#/calendar?tool=clock`);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Date and time').fill('2027-03-01T10:00');
  await dialog.getByRole('button', { name: 'Go to this time' }).click();
  await dialog.getByRole('button', { name: 'Go forward again' }).click();
  await expect.poll(() => world.service.clock.now()).toBe(before);
  await leave();
});

it('a file that is no state file is refused before the user confirms the import', async () => {
  const { page, leave } = await visit(browser(), `${world.url}#/posts?tool=state`);
  const form = page.getByRole('form', { name: 'Import the state' });
  await form
    .getByLabel('State file')
    .setInputFiles({ name: 'seed.json', mimeType: 'application/json', buffer: Buffer.from('{"posts":[]}') });
  await form.getByRole('button', { name: 'Import the state' }).click();
  await form.getByText('This is not a state file of the emulator').waitFor();
  expect(await form.getByText('Confirm the import').isVisible()).toBe(false);
  await leave();
});

it('an edit that was not sent is there again after a reload, but not for a post of another state', async () => {
  const postId = await schedulePost(world, 'The blue one');
  const { page, leave } = await visit(browser(), `${world.url}#/posts?edit=${postId}`);
  const content = page.getByRole('dialog').getByLabel('Content');
  await content.fill('The red one');
  const listens = page.waitForResponse(/\/_emulator\/events$/);
  await page.reload();
  await expect.poll(() => content.inputValue()).toBe('The red one');
  await listens;
  const saved = world.service.snapshot();
  world.service.restore(saved);
  // The page has to hear of it first.
  const keptFields = () => page.evaluate(() => sessionStorage.getItem('emulator-console-fields'));
  await expect.poll(keptFields).toBe('[]');
  await page.reload();
  await expect.poll(() => content.inputValue()).toBe('The blue one');
  await leave();
});

it('at 400 % zoom, a notice hides no focused control', async () => {
  await schedulePost(world, 'The blue one');
  const { page, leave } = await visit(browser(), `${world.url}#/accounts`, { viewport: { width: 360, height: 225 } });
  await page.getByRole('button', { name: /^Step/ }).click();
  await page.locator('.notice').waitFor();
  for (let count = 0; count < 12; count += 1) {
    await page.keyboard.press('Tab');
    const hidden = await page.evaluate(() => {
      const focused = document.activeElement;
      const notices = document.querySelector('.notices')?.getBoundingClientRect();
      if (focused?.closest('main') === null || focused === null || notices === undefined) return false;
      return focused.getBoundingClientRect().bottom > notices.top;
    });
    expect({ focused: await focused(page), hidden }).toMatchObject({ hidden: false });
  }
  await leave();
});

it('a dialog says that the emulator stopped, before anything is sent', async () => {
  const { page, leave } = await visit(browser(), `${world.url}#/posts?compose=any`, {
    expected: /Failed to load resource|ERR_/,
  });
  const dialog = page.getByRole('dialog', { name: 'New post' });
  await dialog.waitFor();
  await world.close();
  await dialog.getByText(/^The emulator does not answer\. Start it again/).waitFor();
  await leave();
});

it('a planned outcome keeps its place in the form, so that Enter again does not fail every target', async () => {
  const { page, leave } = await visit(browser(), `${world.url}#/faults`);
  const form = page.getByRole('form', { name: 'Plan an outcome' });
  await form.getByLabel('Where').selectOption({ label: 'Facebook' });
  await form.getByRole('button', { name: 'Add rule' }).click();
  await page.getByText('The rule is added. It applies to publications from now on.').waitFor();
  expect(await form.getByLabel('Where').evaluate((select: HTMLSelectElement) => select.value)).toBe(
    'platform:facebook',
  );
  await leave();
});

it('a post shows one row per event, with the number of attempts', async () => {
  world.service.seed.subscription({ webhook: { url: 'http://127.0.0.1:9/' }, eventTypes: ['post.partial'] });
  const postId = await schedulePost(world, 'The blue one');
  await world.service.clock.advance({ hours: 3 });
  const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${postId}`);
  const row = page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'post.partial to' });
  await row.getByText(/ · 3 attempts$/).waitFor();
  expect(await row.count()).toBe(1);
  await leave();
});

it.each([
  ['access key', 'Connect a program'],
  ['new auto', 'New automation'],
  ['subscribe', 'Subscribe to webhooks'],
  ['outcome', 'Add a fault or an outcome'],
  ['tomorrow', '11 March 2027'],
])('Ctrl+K finds %s', async (words, label) => {
  const { page, leave } = await visit(browser(), world.url);
  await page.keyboard.press('Control+K');
  await page.keyboard.type(words);
  await page.getByRole('option', { selected: true }).filter({ hasText: label }).waitFor();
  await leave();
});

it.each([
  [1440, 900],
  [360, 225],
])('at %d × %d the message of a refused field is above the foot of the form', async (width, height) => {
  const { page, leave } = await visit(browser(), `${world.url}#/posts?compose=any`, { viewport: { width, height } });
  const dialog = page.getByRole('dialog', { name: 'New post' });
  for (const name of ['acme.instagram', 'acme.facebook', 'acme.tiktok']) await dialog.getByLabel(name).check();
  await dialog.getByLabel('Content').fill('A post');
  await dialog.getByLabel('Media').fill('not a url');
  await page.keyboard.press('Control+Enter');
  const message = dialog.getByText('“not a url” is not a URL that starts with https:// or http://.');
  await message.waitFor();
  const gap = async () => {
    const [text, submit] = await Promise.all([message.boundingBox(), dialog.locator('[type=submit]').boundingBox()]);
    return Math.min(submit?.y ?? 0, height) - (text?.y ?? height) - (text?.height ?? 0);
  };
  await expect.poll(gap).toBeGreaterThanOrEqual(0);
  await leave();
});

it('the arrow keys move between the accounts, at the same button', async () => {
  const { page, leave } = await visit(browser(), `${world.url}#/accounts`);
  await page.getByRole('button', { name: /^Expire token: TikTok/ }).focus();
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => focused(page)).toMatch(/^Expire token: Facebook/);
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => focused(page)).toMatch(/^Expire token: TikTok/);
  await leave();
});
