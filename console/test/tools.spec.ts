import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { targetOf } from '../../src/index.js';
import { browserForAll, open, picture, visit } from './support/browser.js';
import { clientOf, serveWorld, start, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

describe('the connection', () => {
  it('shows the address, snippets without the key, and the key on demand', async () => {
    const { page, leave } = await visit(browser(), world.url);
    const nav = page.getByRole('navigation', { name: 'Views' });
    expect(await nav.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    await page.getByRole('button', { name: 'Connect a program' }).click();
    const dialog = page.getByRole('dialog', { name: 'Connect a program' });
    await dialog
      .getByRole('region', { name: 'Base URL' })
      .getByText(world.url.replace(/\/$/, ''), { exact: true })
      .waitFor();
    for (const language of ['TypeScript', 'curl', 'Python', 'PHP'])
      expect(await dialog.getByRole('region', { name: language }).count()).toBe(1);
    expect(await dialog.innerText()).not.toContain('console-test-key');
    await picture(page, 'connection');
    await dialog.getByRole('button', { name: 'Show the access key' }).click();
    await dialog.getByText('console-test-key', { exact: true }).waitFor();
    await dialog.getByText('SOCIAL_PUBLISHING_ACCESS_KEY=console-test-key').waitFor();
    await leave();
  });
});

describe('the state', () => {
  it('is saved as a file, removed after a second press, and restored from the file', async () => {
    await clientOf(world).posts.create({ content: 'Keep me', saveAsDraft: true });
    const { page, leave } = await visit(browser(), world.url);
    await open(page, 'Posts');
    await page.getByRole('button', { name: 'Emulator state' }).click();
    const dialog = page.getByRole('dialog', { name: 'State of the emulator' });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Export the state' }).click(),
    ]);
    const file = await download.path();
    expect(await readFile(file, 'utf8')).toContain('Keep me');
    await dialog.getByRole('button', { name: 'Remove everything' }).click();
    expect(world.service.posts).toHaveLength(1);
    await dialog.getByRole('button', { name: 'Confirm the removal' }).click();
    await expect.poll(() => world.service.posts.length).toBe(0);
    await dialog.getByLabel('State file').setInputFiles({
      name: 'state.json',
      mimeType: 'application/json',
      buffer: await readFile(file),
    });
    await picture(page, 'state');
    await dialog.getByRole('button', { name: 'Import the state' }).click();
    const confirm = dialog.getByRole('button', { name: 'Confirm the import' });
    await confirm.waitFor();
    expect(world.service.posts).toHaveLength(0);
    await confirm.click();
    await expect.poll(() => world.service.posts.length).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /Keep me/ }).waitFor();
    await leave();
  });

  it('refuses a file that is not a state, and removes the older notice', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('button', { name: 'Emulator state' }).click();
    const dialog = page.getByRole('dialog', { name: 'State of the emulator' });
    const fileOf = (text: string) => ({ name: 'file.json', mimeType: 'application/json', buffer: Buffer.from(text) });
    await dialog.getByLabel('Seed file', { exact: true }).setInputFiles(fileOf('{ "posts": [] }'));
    await dialog.getByRole('button', { name: 'Add the records' }).click();
    const added = page.locator('.notices').getByText('The records are added.');
    await added.waitFor();
    await dialog.getByLabel('State file', { exact: true }).setInputFiles(fileOf('{ "posts": [] }'));
    await dialog.getByRole('button', { name: 'Import the state' }).click();
    await dialog.getByText('This is not a state file of the emulator').waitFor();
    expect(await added.count()).toBe(0);
    await leave();
  });

  it('takes a seed file and a scenario, and says what is wrong with a file', async () => {
    const { page, leave } = await visit(browser(), world.url, { expected: /status of 400/ });
    await page.getByRole('button', { name: 'Emulator state' }).click();
    const fileOf = (content: unknown) => ({
      name: 'file.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(content)),
    });
    await page.getByLabel('Seed file', { exact: true }).setInputFiles(fileOf({ posts: [{ status: 'wrong' }] }));
    await page.getByRole('button', { name: 'Add the records' }).click();
    await page.getByText(/nothing was added: posts\[0\]/).waitFor();
    await page.getByLabel('Seed file', { exact: true }).setInputFiles(fileOf({ posts: [{ content: 'From a file' }] }));
    await page.getByRole('button', { name: 'Add the records' }).click();
    await expect.poll(() => world.service.posts.map(({ content }) => content)).toEqual(['From a file']);
    await page
      .getByLabel('Scenario file', { exact: true })
      .setInputFiles(fileOf([{ at: { hours: 2 }, seed: { posts: [{ content: 'Later' }] } }]));
    await page.getByRole('button', { name: 'Plan the scenario' }).click();
    await page.getByText('The scenario is planned.').waitFor();
    expect(world.service.clock.nextEvent).toEqual({ at: start + 7_200_000, kind: 'scenario' });
    const importing = page.getByRole('region', { name: 'Import' });
    await importing.getByText('The same from a terminal').click();
    await importing.getByText(/^curl -X PUT .*state -d @emulator-state\.json$/).waitFor();
    await picture(page, 'state-files');
    await leave();
  });

  it('is the demo after a reset to it', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('button', { name: 'Emulator state' }).click();
    await page.getByRole('button', { name: 'Load the demo' }).click();
    await page.getByRole('button', { name: 'Confirm: load the demo' }).click();
    await expect.poll(() => world.service.posts.length).toBeGreaterThan(10);
    await leave();
  });
});

describe('the clock', () => {
  it('goes to a time and to the next post, and opens that post', async () => {
    const client = clientOf(world);
    const platforms = (await client.integrations.list({ platform: 'instagram' }).toArray()).map(targetOf);
    await client.posts.create({ content: 'In an hour', platforms, scheduledFor: new Date(start + 3_600_000) });
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('button', { name: /go to a time/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Clock of the emulator' });
    await dialog.getByText('10 Mar 2027, 11:00: publish “In an hour”').waitFor();
    await picture(page, 'clock');
    await dialog.getByRole('button', { name: /^Go to its time, 10 Mar/ }).click();
    await expect.poll(() => world.service.posts[0]?.status).toBe('published');
    expect(world.service.clock.now()).toBe(start + 3_600_000);
    await dialog.getByLabel('Date and time').fill('2027-03-20T12:00');
    await dialog.getByRole('button', { name: 'Go to this time' }).click();
    // Noon in Berlin.
    await expect.poll(() => world.service.clock.now()).toBe(Date.parse('2027-03-20T11:00:00Z'));
    await dialog.getByRole('button', { name: '+1 day' }).click();
    await expect.poll(() => world.service.clock.now()).toBe(Date.parse('2027-03-21T11:00:00Z'));
    await leave();
  });

  it('goes to the time of a post from the post itself', async () => {
    const client = clientOf(world);
    const platforms = (await client.integrations.list({ platform: 'instagram' }).toArray()).map(targetOf);
    const scheduledFor = new Date(start + 3 * 86_400_000);
    const { postId } = await client.posts.create({ content: 'In three days', platforms, scheduledFor });
    const { page, leave } = await visit(browser(), `${world.url}#/calendar?post=${postId}`);
    await page.getByTitle('publish “In three days”').waitFor();
    await page.getByRole('button', { name: 'Move the clock to its time' }).click();
    await expect.poll(() => world.service.clock.now()).toBe(scheduledFor.getTime());
    await page.getByRole('dialog').getByText('published').first().waitFor();
    await leave();
  });
});

describe('the empty emulator', () => {
  it('offers the demo and a first post where it opens', async () => {
    const empty = await serveWorld(() => undefined);
    const { page, leave } = await visit(browser(), empty.url);
    const main = page.getByRole('main');
    await main.getByText('npx social-publishing emulator --seed demo --open').waitFor();
    await main.getByRole('button', { name: 'Post from a program' }).click();
    await page.getByRole('dialog', { name: 'Connect a program' }).waitFor();
    await page.keyboard.press('Escape');
    await main.getByRole('link', { name: 'Connect an account' }).click();
    await page.getByRole('heading', { name: 'Connect an account' }).waitFor();
    await page.goBack();
    await main.getByRole('button', { name: 'Load the demo' }).click();
    await page.getByText('The demo is loaded.').waitFor();
    await page.getByRole('button', { name: /10 March 2027, \d+ posts/ }).waitFor();
    expect(await main.getByRole('button', { name: 'Load the demo' }).count()).toBe(0);
    await leave();
    await empty.close();
  });

  it('with accounts offers the first post, and no demo that would replace them', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('button', { name: 'Write the first post' }).click();
    await page.getByRole('dialog', { name: 'New post' }).waitFor();
    expect(await page.getByRole('button', { name: 'Load the demo' }).count()).toBe(0);
    await leave();
  });
});

describe('a button that needs a second press', () => {
  it('cancels the first press of another one, and its own on Escape or with the focus elsewhere', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('button', { name: 'Emulator state' }).click();
    const dialog = page.getByRole('dialog', { name: 'State of the emulator' });
    const armed = dialog.getByRole('button', { name: /^Confirm/ });
    const reset = dialog.getByRole('button', { name: 'Reset to the start' });
    const empty = dialog.getByRole('button', { name: 'Remove everything' });
    await reset.click();
    expect(await armed.count()).toBe(1);
    // By its event: a mouse would take the focus from the first one anyway.
    await empty.dispatchEvent('click');
    await reset.waitFor();
    expect(await armed.count()).toBe(1);
    await armed.focus();
    await page.keyboard.press('Escape');
    await empty.waitFor();
    expect(await armed.count()).toBe(0);
    expect(await dialog.isVisible()).toBe(true);
    await page.keyboard.press('Enter');
    await armed.waitFor();
    await page.keyboard.press('Tab');
    await empty.waitFor();
    expect(await armed.count()).toBe(0);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await leave();
  });

  it.each([
    { width: 1440, height: 900 },
    { width: 1024, height: 768 },
    { width: 390, height: 844 },
    { width: 320, height: 640 },
  ])('keeps its place, so that a second click there acts, at %o', async (viewport) => {
    const places = [
      ['#/posts?tool=state', 'Remove everything'],
      ['#/posts?tool=state', 'Load the demo'],
      ['#/requests', 'Clear requests'],
      ['#/faults', 'Remove the rule: No reply'],
    ] as const;
    await clientOf(world).posts.list();
    world.service.faults.add({ kind: 'timeout' });
    const { page, leave } = await visit(browser(), world.url, { viewport });
    for (const [path, name] of places) {
      await page.goto(`${world.url}${path}`);
      const button = page.getByRole('button', { name, exact: true });
      await button.scrollIntoViewIfNeeded();
      const before = await button.boundingBox();
      await button.click();
      const armed = page.getByRole('button', { name: /^Confirm/ });
      await armed.waitFor();
      expect({ name, box: await armed.boundingBox() }).toEqual({ name, box: before });
      await page.keyboard.press('Escape');
      await button.waitFor();
    }
    await page.goto(`${world.url}#/posts?tool=state`);
    const remove = page.getByRole('button', { name: 'Remove everything' });
    await remove.scrollIntoViewIfNeeded();
    const { x = 0, y = 0, height = 0 } = (await remove.boundingBox()) ?? {};
    await page.mouse.click(x + 5, y + height / 2);
    await page.mouse.click(x + 5, y + height / 2);
    await page.getByText('The emulator is empty.').waitFor();
    await leave();
  });
});
