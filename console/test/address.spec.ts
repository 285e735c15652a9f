import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { createPublisher, MemoryDurableStore } from '../../src/publisher/index.js';
import { browserForAll, open, picture, visit } from './support/browser.js';
import { clientOf, schedulePost, serveWorld, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
  for (const content of ['The red one', 'The blue one']) await schedulePost(world, content);
  await clientOf(world).posts.create({ content: 'A draft', saveAsDraft: true });
});

afterEach(() => world.close());

describe('the address', () => {
  it('has the filters of a view: a reload and a way through other views keep them', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await open(page, 'Posts');
    await page.getByRole('searchbox').fill('blue');
    await page.getByLabel('Status').selectOption('scheduled');
    await page.getByText('1 of 3 posts').waitFor();
    expect(new URL(page.url()).hash).toBe('#/posts?q=blue&status=scheduled');
    await page.reload();
    await page.getByText('1 of 3 posts').waitFor();
    await expect.poll(() => page.getByLabel('Status').inputValue()).toBe('scheduled');
    await open(page, 'Accounts');
    await open(page, 'Posts');
    await page.getByText('1 of 3 posts').waitFor();
    await leave();
  });

  it('has the open post: a reload opens it again, and Forward too', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await open(page, 'Posts');
    await page.getByRole('button', { name: /The red one/ }).click();
    const dialog = page.getByRole('dialog', { name: /^Post / });
    await dialog.waitFor();
    await page.reload();
    await dialog.getByText('The red one').first().waitFor();
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
    await page.goForward();
    await dialog.waitFor();
    await leave();
  });

  it('has the day of the calendar and the selected request', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('button', { name: 'Next month' }).click();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'April 2027' }).waitFor();
    await open(page, 'Requests');
    await page
      .getByRole('button', { name: /GET \/v1\/connect\/integrations/ })
      .first()
      .click();
    const panel = page.getByRole('region', { name: 'GET /v1/connect/integrations' });
    await panel.waitFor();
    await page.reload();
    await panel.waitFor();
    await leave();
  });

  it('has the account and the conversation: a reload shows it again, and Back the one before', async () => {
    for (const username of ['first', 'second']) {
      const { id: accountId } = world.service.seed.integration({ platform: 'instagram', username });
      for (const name of ['Ada', 'Ben'])
        world.service.incoming.message({ accountId, text: `Hi ${username}, I am ${name}`, from: { id: name, name } });
    }
    const { page, leave } = await visit(browser(), `${world.url}#/messages`);
    await page.getByLabel('Account').selectOption({ label: 'Instagram @first' });
    await page.getByRole('button', { name: /^Ben/ }).click();
    await page.getByRole('button', { name: /^Ada/ }).click();
    const messages = page.getByRole('list', { name: 'Messages' });
    await messages.getByText('Hi first, I am Ada').waitFor();
    await page.reload();
    await messages.getByText('Hi first, I am Ada').waitFor();
    await expect.poll(() => page.getByLabel('Account').locator('option:checked').innerText()).toBe('Instagram @first');
    await page.goBack();
    await messages.getByText('Hi first, I am Ben').waitFor();
    await leave();
  });

  it('that names no page says so, and so does one of a post that is gone', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/nothing`);
    await page.getByText('There is no page “nothing”.').waitFor();
    await page.goto(`${world.url}#/posts?post=post_999`);
    await page.getByText('There is no post post_999.').waitFor();
    await leave();
  });
});

describe('the view of intents', () => {
  it('counts them by state and filters them', async () => {
    const publisher = createPublisher({ client: clientOf(world), store: new MemoryDurableStore() });
    const body = { content: 'Durable', saveAsDraft: true } as const;
    await publisher.publish('campaign/1', body);
    await publisher.enqueue('campaign/2', { ...body, content: 'Later' });
    const served = await serveEmulator(world.service, { console: true, observe: { publisher } });
    const { page, leave } = await visit(browser(), `${served.url}/`);
    await open(page, 'Durable');
    const table = page.getByRole('list', { name: 'Intents' });
    await table.getByText('campaign/1').waitFor();
    await picture(page, 'durable');
    await page.getByRole('button', { name: 'ready: 1' }).click();
    await table.getByText('campaign/1').waitFor({ state: 'detached' });
    expect(await table.getByText('campaign/2').count()).toBe(1);
    await publisher.sweep();
    await page.getByRole('button', { name: 'accepted: 2' }).waitFor();
    await leave();
    await served.close();
  });

  it('is not offered if nothing is observed', async () => {
    const { page, leave } = await visit(browser(), world.url);
    expect(await page.getByRole('link', { name: 'Durable' }).count()).toBe(0);
    await leave();
  });
});
