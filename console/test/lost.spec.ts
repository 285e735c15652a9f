import { afterEach, beforeEach, expect, it } from 'vitest';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { browserForAll, open, visit } from './support/browser.js';
import { schedulePost, serveWorld, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;
let closeAgain: (() => Promise<void>) | undefined;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(async () => {
  await closeAgain?.();
  closeAgain = undefined;
});

/** Starts the stopped emulator again, at the same address. */
async function serveAgain(): Promise<void> {
  const port = Number(new URL(world.url).port);
  const served = await serveEmulator(world.service, { console: true, port });
  closeAgain = () => served.close();
}

const expected = /ERR_|Failed to load|fetch/;

it('a save without a server says that the text is kept, until the server answers again', async () => {
  const { page, leave } = await visit(browser(), world.url, { expected });
  await page.getByRole('button', { name: 'New post', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'New post' });
  await dialog.getByLabel('Content').fill('The blue one');
  await dialog.getByLabel('acme.facebook').check();
  await world.close();
  await dialog.getByRole('button', { name: 'Schedule' }).click();
  const problem = dialog.getByRole('alert');
  await problem.waitFor();
  await expect.poll(() => problem.innerText()).toBe('The emulator does not answer. Your text is kept.');
  await serveAgain();
  await problem.waitFor({ state: 'detached' });
  await expect.poll(() => dialog.getByLabel('Content').inputValue()).toBe('The blue one');
  await dialog.getByRole('button', { name: 'Schedule' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(world.service.posts).toMatchObject([{ content: 'The blue one' }]);
  await leave();
});

it('a view that was not read says so while the server does not answer', async () => {
  const { page, leave } = await visit(browser(), world.url, { expected });
  await world.close();
  await page.getByText('The emulator does not answer').first().waitFor();
  for (const view of ['Requests', 'Webhooks']) {
    await open(page, view);
    await page.getByText('Not read: the emulator does not answer.').first().waitFor();
    expect(await page.getByText(/^(Loading|Unknown|Checking)$/).count()).toBe(0);
  }
  await leave();
});

it('Undo disappears after a restart of the emulator, because a new emulator assigns the same IDs', async () => {
  await schedulePost(world, 'The blue one');
  const { page, leave } = await visit(browser(), world.url, { expected });
  await page
    .getByRole('cell')
    .getByRole('button', { name: /The blue one/ })
    .focus();
  await page.keyboard.press('Shift+ArrowRight');
  const undo = page.getByRole('button', { name: 'Undo' });
  await undo.waitFor();
  await world.close();
  await serveAgain();
  // The browser connects again after 3 seconds. Without a restart, the notice stays longer than this.
  await undo.waitFor({ state: 'detached', timeout: 7_000 });
  await leave();
});

it('a quick restart of the emulator is reported, a break of the connection is not', async () => {
  const { page, leave } = await visit(browser(), world.url, { expected });
  const notice = page.getByText('The emulator was started again. This page shows its new data.');
  const isLive = page.locator('.connection-live');
  await isLive.waitFor();
  await page.context().setOffline(true);
  await page.context().setOffline(false);
  await isLive.waitFor();
  expect(await notice.count()).toBe(0);
  await world.close();
  await serveAgain();
  await notice.waitFor();
  await leave();
});

it('a simulated network failure is not called a lost server', async () => {
  const { page, leave } = await visit(browser(), world.url, { expected });
  world.service.faults.add({ kind: 'reset_before', route: 'POST /v1/posts/' });
  await page.getByRole('button', { name: 'New post', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'New post' });
  await dialog.getByLabel('Content').fill('The blue one');
  await dialog.getByLabel('acme.facebook').check();
  await dialog.getByRole('button', { name: 'Schedule' }).click();
  await dialog
    .getByText(
      /It may have been executed: .* The emulator knows more: a rule of Faults caused this, and the request was not executed\.$/,
    )
    .waitFor();
  await leave();
});

it('a stopped emulator is reported by one sentence, however often the page reads, until it answers again', async () => {
  const { page, leave } = await visit(browser(), `${world.url}#/webhooks?show=subscriptions`, { expected });
  await page.getByText('No subscriptions yet').waitFor();
  await page.evaluate(() => {
    const spoken: string[] = [];
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes)
          if (node instanceof Element)
            for (const alert of [node, ...node.querySelectorAll('*')])
              if (alert.role === 'alert') spoken.push(alert.textContent);
    }).observe(document.body, { childList: true, subtree: true });
    Object.assign(window, { spoken });
  });
  await world.close();
  const words = 'The emulator does not answer. Start it again, for example with “npx social-publishing emulator”.';
  await page.getByText(words).waitFor();
  await page.getByRole('link', { name: 'Faults' }).click();
  await page.getByRole('link', { name: 'Webhooks' }).click();
  // Several polls.
  await page.waitForTimeout(8_000);
  expect(await page.evaluate(() => (window as unknown as { readonly spoken: readonly string[] }).spoken)).toEqual([
    words,
  ]);
  expect(await page.getByRole('alert').allInnerTexts()).toEqual([words]);
  world.service.seed.subscription({ webhook: { url: 'http://127.0.0.1:1/again' } });
  await serveAgain();
  await page.getByText('http://127.0.0.1:1/again').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await leave();
});
