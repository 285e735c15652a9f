import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { targetOf } from '../../src/index.js';
import { browserForAll, open, visit } from './support/browser.js';
import { focused } from './support/keyboard.js';
import { clientOf, serveWorld, start, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

describe('the requests', () => {
  it('are filtered by method and status, and the address contains both', async () => {
    const client = clientOf(world);
    await client.posts.create({ content: 'A draft', saveAsDraft: true });
    await client.posts.list();
    await client.integrations.get('integration_99').catch(() => undefined);
    const { page, leave } = await visit(browser(), world.url);
    await open(page, 'Requests');
    await page.getByText('3 requests', { exact: true }).waitFor();
    await page.getByLabel('Method', { exact: true }).selectOption('GET');
    await page.getByText('2 of 3 requests').waitFor();
    await page.getByLabel('Status', { exact: true }).selectOption('4xx');
    await page.getByText('1 of 3 requests').waitFor();
    expect(new URL(page.url()).hash).toBe('#/requests?method=GET&status=4');
    await page.reload();
    await page.getByText('1 of 3 requests').waitFor();
    await expect.poll(() => page.getByLabel('Method', { exact: true }).inputValue()).toBe('GET');
    await leave();
  });
});

it.each([
  ['posts', 'Status', 'status'],
  ['posts', 'Platform', 'platform'],
  ['requests', 'Method', 'method'],
  ['requests', 'Outcome', 'outcome'],
])('of %s: the field %s shows an unknown value of the address', async (view, label, name) => {
  await clientOf(world).posts.create({ content: 'A draft', saveAsDraft: true });
  const { page, leave } = await visit(browser(), `${world.url}#/${view}?${name}=bogus`);
  const field = page.getByLabel(label, { exact: true });
  await field.waitFor();
  await expect.poll(() => field.inputValue()).toBe('bogus');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect.poll(() => field.inputValue()).toBe('');
  expect(await field.getByText('bogus').count()).toBe(0);
  await leave();
});

describe('the filters of the posts', () => {
  it('are cleared by a button, which says how many posts are shown', async () => {
    const client = clientOf(world);
    await client.posts.create({ content: 'The blue one', saveAsDraft: true });
    await client.posts.create({ content: 'The red one', saveAsDraft: true });
    const { page, leave } = await visit(browser(), `${world.url}#/posts?status=failed&q=blue`);
    await page.getByText('No match in 2 posts').waitFor();
    await open(page, 'Calendar');
    await open(page, 'Posts');
    const clear = page.getByRole('button', { name: 'Clear filters' });
    await clear.click();
    await page.getByText('2 posts', { exact: true }).waitFor();
    expect(await clear.count()).toBe(0);
    expect(new URL(page.url()).hash).toBe('#/posts');
    await expect.poll(() => focused(page)).toBe('Search');
    await page.getByLabel('Search').fill('red');
    await page.getByText('1 of 2 posts', { exact: true }).waitFor();
    await open(page, 'Calendar');
    await page.getByLabel('Status').selectOption('failed');
    await page.getByText('0 of 2 posts', { exact: true }).waitFor();
    await clear.click();
    await expect.poll(() => page.getByLabel('Status').inputValue()).toBe('');
    await expect.poll(() => focused(page)).toBe('Status');
    await page.goto(`${world.url}#/requests?method=GET`);
    await page.getByText('No match in 2 requests').waitFor();
    await clear.click();
    await page.getByText('2 requests', { exact: true }).waitFor();
    await leave();
  });
});

describe('the time zone', () => {
  it('is named in the header, changes every time to UTC, and is kept by the address and the navigation', async () => {
    const client = clientOf(world);
    const platforms = (await client.integrations.list().toArray()).map(targetOf);
    // 23:30 in UTC is half past midnight of the next day in Berlin.
    await client.posts.create({
      content: 'Late in the evening',
      platforms,
      scheduledFor: new Date(start + 14.5 * 3_600_000),
    });
    const { page, leave } = await visit(browser(), world.url);
    const clock = page.getByRole('region', { name: 'Clock of the emulator' });
    await clock.getByText('10 Mar 2027, 10:00:00').waitFor();
    await page.getByRole('button', { name: /11 March 2027, 1 post: 1 scheduled/ }).waitFor();
    await clock.getByRole('button', { name: 'Time zone: Europe/Berlin. Show times in UTC' }).click();
    await clock.getByText('10 Mar 2027, 09:00:00').waitFor();
    await page.getByRole('button', { name: /10 March 2027, 1 post: 1 scheduled/ }).waitFor();
    await open(page, 'Posts');
    await page.locator('.post-time', { hasText: '10 Mar 2027, 23:30' }).waitFor();
    await page.reload();
    await page.locator('.post-time', { hasText: '10 Mar 2027, 23:30' }).waitFor();
    await page.getByRole('button', { name: 'New post', exact: true }).click();
    const composer = page.getByRole('dialog', { name: 'New post' });
    await composer.getByText(/ in UTC\./).waitFor();
    await composer.getByLabel('Content').fill('Noon in UTC');
    await composer.getByLabel('acme.instagram').check();
    await composer.getByLabel('Time', { exact: true }).fill('2027-03-12T12:00');
    await composer.getByText('12 Mar 2027, 12:00 in UTC.').waitFor();
    // The time stays while the clock runs.
    await world.service.clock.advance({ minutes: 1 });
    await composer.getByText(/By the emulator's clock it is 10 Mar 2027, 09:01/).waitFor();
    await expect.poll(() => composer.getByLabel('Time', { exact: true }).inputValue()).toBe('2027-03-12T12:00');
    await composer.getByRole('button', { name: 'Schedule', exact: true }).click();
    await expect
      .poll(() => world.service.posts.find(({ content }) => content === 'Noon in UTC')?.scheduledFor)
      .toBe('2027-03-12T12:00:00.000Z');
    await composer.waitFor({ state: 'detached' });
    await clock.getByRole('button', { name: 'Time zone: UTC. Show times in Europe/Berlin' }).click();
    await page.getByText('12 Mar 2027, 13:00').first().waitFor();
    await leave();
  });
});
