import { afterEach, beforeEach, expect, it } from 'vitest';
import { browserForAll, visit } from './support/browser.js';
import { clientOf, serveWorld, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

it.each([
  ['Import the state', '[]', 'The file must contain an object. Choose another file.'],
  ['Add the records', '5', 'The file must contain an object. Choose another file.'],
  [
    'Add the records',
    '{"format":"x"}',
    'This is a state file, not a seed file. To restore it, use “Import the state”.',
  ],
  ['Plan the scenario', '{}', 'The file must contain a list. Choose another file.'],
  ['Plan the scenario', '', 'The file is not JSON. Choose another file.'],
])('“%s” refuses a file with other JSON at its field', async (submit, content, words) => {
  const { page, leave } = await visit(browser(), `${world.url}#/posts?tool=state`);
  const form = page.getByRole('form', { name: submit });
  await form
    .locator('input')
    .setInputFiles({ name: 'file.json', mimeType: 'application/json', buffer: Buffer.from(content) });
  await form.getByRole('button', { name: submit }).click();
  // It replaces the state, so it acts on the second press.
  await form.getByText(words).waitFor();
  expect(await form.locator('input').getAttribute('aria-invalid')).toBe('true');
  await leave();
});

it('the clock refuses a year of more than four digits at its field', async () => {
  const { page, leave } = await visit(browser(), `${world.url}#/calendar?tool=clock`);
  const time = page.getByLabel('Date and time');
  await time.evaluate((field: HTMLInputElement) => {
    field.value = '20277-03-10T09:00';
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await page.getByRole('button', { name: 'Go to this time' }).click();
  await expect.poll(() => time.getAttribute('aria-invalid')).toBe('true');
  expect(await page.getByText('Invalid time value').count()).toBe(0);
  await leave();
});

it('keeps the first message of a customer while a conversation of another program arrives', async () => {
  const [account] = await clientOf(world).integrations.list({ platform: 'instagram' }).toArray();
  const { page, leave } = await visit(browser(), `${world.url}#/messages`);
  await page.getByRole('textbox', { name: 'Message' }).fill('Half a sent');
  world.service.incoming.message({ accountId: account?.id ?? '', text: 'Hi', from: { id: 'ada', name: 'Ada' } });
  await page.getByRole('button', { name: /^Ada/ }).waitFor();
  await expect.poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('Half a sent');
  await page.getByRole('button', { name: /^Ada/ }).click();
  await page.getByRole('region', { name: 'Conversation with Ada' }).waitFor();
  await leave();
});

it('customers whose names have no Latin letters have different conversations', async () => {
  const { page, leave } = await visit(browser(), `${world.url}#/messages`);
  const start = page.getByRole('button', { name: 'Start conversation' });
  for (const [index, name] of ['Зоя', '美咲'].entries()) {
    // Without a conversation, the form is open.
    if (index > 0) await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(name);
    await page.getByRole('textbox', { name: 'Message' }).fill(`I am ${name}`);
    await start.click();
    await page.getByRole('region', { name: `Conversation with ${name}` }).waitFor();
  }
  await expect
    .poll(() =>
      page
        .getByRole('list', { name: /^Conversations/ })
        .getByRole('button')
        .count(),
    )
    .toBe(2);
  await leave();
});
