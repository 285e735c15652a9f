import { afterAll, beforeAll, expect, it } from 'vitest';
import { browserForAll, desktop, phone, visit } from './support/browser.js';
import { serveWorld, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeAll(async () => {
  world = await serveWorld((service) => {
    service.seed.demo();
    service.seed.subscription({ webhook: { url: 'http://127.0.0.1:1/' } });
  });
  await world.service.fetch('https://emulator.test/v1/posts/', { headers: { 'x-access-key': 'console-test-key' } });
  await world.service.clock.advance({ hours: 24 });
});

afterAll(() => world.close());

const items = [
  {
    address: 'requests?request=req_9',
    words: 'No request has the ID req_9. It may have been cleared.',
    list: 'requests',
  },
  {
    address: 'webhooks?event=evt_9',
    words: 'No delivery has the ID evt_9. It may have been removed.',
    list: 'deliveries',
  },
  {
    address: 'automations?automation=auto_9',
    words: 'No automation has the ID auto_9. It may have been removed.',
    list: 'automations',
  },
  {
    address: 'messages?conversation=conv_9',
    words: 'No conversation of this account has the ID conv_9. It may have been removed.',
    list: 'conversations',
  },
];

it.each(items.flatMap((item) => [desktop, phone].map((viewport) => ({ ...item, viewport }))))(
  'an unknown ID in the address is reported, and leads to the list: $address, $viewport.width',
  async ({ address, words, list, viewport }) => {
    const { page, leave } = await visit(browser(), `${world.url}#/${address}`, { viewport });
    await page.getByText(words).waitFor();
    const main = page.getByRole('main');
    expect(await main.locator('.chosen-panel:visible, .request-panel:visible').count()).toBe(1);
    expect(await main.locator('[data-row][aria-current=true]').count()).toBe(0);
    await main
      .getByRole('button', { name: `All ${list}`, exact: true })
      .filter({ visible: true })
      .click();
    await main.locator('[data-row]').first().waitFor();
    expect(await page.getByText(words).count()).toBe(0);
    expect(page.url()).not.toContain('_9');
    await leave();
  },
);

it('another account of Messages shows its own conversations, without a message about the first one', async () => {
  const { page, leave } = await visit(browser(), `${world.url}#/messages`);
  await page
    .getByRole('list', { name: /^Conversations/ })
    .getByRole('button')
    .nth(1)
    .click();
  expect(page.url()).toContain('conversation=');
  await page.getByLabel('Account').selectOption({ index: 1 });
  await expect.poll(() => page.url()).not.toContain('conversation=');
  await page.getByRole('list', { name: 'Messages', exact: true }).waitFor();
  expect(await page.getByText(/^No conversation/).count()).toBe(0);
  await leave();
});

it('the text of a new automation is kept while another one is chosen', async () => {
  const { page, leave } = await visit(browser(), `${world.url}#/automations?automation=new`);
  const form = page.getByRole('region', { name: 'New automation' });
  await form.getByLabel('Keywords').fill('brew, recipe');
  await form.getByLabel('Match').selectOption('contains');
  await page.getByRole('list', { name: 'Automations' }).getByRole('button').first().click();
  await form.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'New automation' }).click();
  await form.waitFor();
  await expect.poll(() => form.getByLabel('Keywords').inputValue()).toBe('brew, recipe');
  await expect.poll(() => form.getByLabel('Match').inputValue()).toBe('contains');
  await form.getByLabel('Direct message').fill('Here it is.');
  await form.getByRole('button', { name: 'Create' }).click();
  await form.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'New automation' }).click();
  await form.waitFor();
  await expect.poll(() => form.getByLabel('Keywords').inputValue()).toBe('');
  await leave();
});

it('the same refusal has the same text in each form of Analytics', async () => {
  const remove = world.service.faults.add({ kind: 'status', status: 400, body: { message: 'Not now' } });
  const { page, leave } = await visit(browser(), `${world.url}#/analytics`, { expected: /status of 400/ });
  for (const name of [/^Read posts/, /^Read insights/]) await page.getByRole('button', { name }).click();
  const problems = page.locator('.problem > p');
  await expect.poll(() => problems.count()).toBe(2);
  const words =
    'The service answered with status 400: Not now. The emulator knows more: a rule of Faults caused this, and the request was not executed.';
  expect(await problems.allInnerTexts()).toEqual([words, words]);
  remove();
  await leave();
});

it.each([desktop, { width: 1024, height: 768 }])(
  'the choice of the writer of a message is not cut, at $width',
  async (viewport) => {
    const { page, leave } = await visit(browser(), `${world.url}#/messages`, { viewport });
    const select = page.getByLabel('Write as');
    await select.waitFor();
    const [shown, needed] = await select.evaluate((element) => {
      const width = element.getBoundingClientRect().width;
      const copy = element.cloneNode(true) as HTMLElement;
      copy.style.width = 'max-content';
      element.parentElement?.append(copy);
      const all = copy.getBoundingClientRect().width;
      copy.remove();
      return [width, all];
    });
    expect(shown).toBeGreaterThanOrEqual(needed);
    await leave();
  },
);

it('a new post leads to Accounts if there are none, and keeps its text', async () => {
  const empty = await serveWorld(() => undefined);
  const { page, leave } = await visit(browser(), `${empty.url}#/posts?compose=any`);
  const dialog = page.getByRole('dialog', { name: 'New post' });
  await dialog.getByLabel('Content').fill('A long text');
  await dialog.getByRole('link', { name: 'Accounts' }).click();
  await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor();
  await dialog.waitFor({ state: 'detached' });
  threeAccounts(empty.service);
  await page.keyboard.press('n');
  await expect.poll(() => dialog.getByLabel('Content').inputValue()).toBe('A long text');
  await leave();
  await empty.close();
});

// The last test: it resets the emulator of the others.
it('Analytics forgets what it read when the emulator is reset', async () => {
  const { page, leave } = await visit(browser(), `${world.url}#/analytics`);
  await page.getByRole('button', { name: /^Read posts/ }).click();
  await page.getByRole('region', { name: 'Metrics of posts' }).waitFor();
  await fetch(`${world.url}_emulator/reset`, { method: 'POST', body: JSON.stringify({ to: 'empty' }) });
  await page.getByRole('region', { name: 'Metrics of posts' }).waitFor({ state: 'detached' });
  await leave();
});
