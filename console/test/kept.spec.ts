import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserForAll, visit } from './support/browser.js';
import { serveWorld, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

describe('a new post that was closed before it was sent', () => {
  it('is there again, also after a reload, until it is created', async () => {
    const { page, leave } = await visit(browser(), world.url);
    const dialog = page.getByRole('dialog', { name: 'New post' });
    const content = dialog.getByLabel('Content');
    const begin = async () => {
      await page.keyboard.press('n');
      await dialog.waitFor();
    };
    await begin();
    await expect.poll(() => content.inputValue()).toBe('');
    await content.fill('A long text');
    await dialog.getByRole('button', { name: 'Select all' }).click();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await begin();
    await expect.poll(() => content.inputValue()).toBe('A long text');
    await dialog.getByText('3 of 3 selected').waitFor();
    await page.reload();
    await dialog.getByText('3 of 3 selected').waitFor();
    await expect.poll(() => content.inputValue()).toBe('A long text');
    await dialog.getByRole('button', { name: 'Schedule' }).click();
    await dialog.waitFor({ state: 'detached' });
    await begin();
    await expect.poll(() => content.inputValue()).toBe('');
    await dialog.getByText('0 of 3 selected').waitFor();
    await leave();
  });

  it('is discarded by "Begin again", and keeps the focus in the dialog', async () => {
    const { page, leave } = await visit(browser(), world.url);
    const dialog = page.getByRole('dialog', { name: 'New post' });
    await page.keyboard.press('n');
    await dialog.getByLabel('Content').fill('Not this');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await dialog.getByRole('button', { name: 'Begin again' }).click();
    await expect.poll(() => dialog.getByLabel('Content').inputValue()).toBe('');
    expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true);
    await leave();
  });
});
