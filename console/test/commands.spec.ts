import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserForAll, visit } from './support/browser.js';
import { focused } from './support/keyboard.js';
import {
  clientOf,
  schedulePost,
  serveWorld,
  start,
  startReceiver,
  threeAccounts,
  type World,
} from './support/world.js';

const browser = browserForAll();
const hourMs = 3_600_000;
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
  await schedulePost(world, 'The blue one');
  await clientOf(world).posts.create({ content: 'שלום blue', saveAsDraft: true });
});

afterEach(() => world.close());

describe('the command palette', () => {
  it('opens with Ctrl+K, finds a view, an action and a post, and gives the focus back', async () => {
    const { page, leave } = await visit(browser(), world.url);
    const dialog = page.getByRole('dialog', { name: 'Search and commands' });
    const type = async (words: string) => {
      await page.keyboard.press('Control+K');
      await dialog.waitFor();
      await expect.poll(() => focused(page)).toBe('Search views, actions and posts');
      await page.keyboard.type(words);
    };
    await page.getByRole('button', { name: 'New post', exact: true }).focus();
    await type('webh');
    await expect.poll(() => dialog.getByRole('option', { selected: true }).innerText()).toContain('Go to Webhooks');
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('Webhooks');
    expect(new URL(page.url()).hash).toBe('#/webhooks');

    await type('1 day');
    await page.keyboard.press('Enter');
    await expect.poll(() => world.service.clock.now()).toBe(start + 24 * hourMs);

    await type('blue');
    // Scheduled posts come first.
    await dialog.getByRole('option', { name: /The blue one.*partial/ }).waitFor();
    expect(await dialog.getByRole('option').count()).toBe(2);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Post post_1', exact: true }).waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'New post', exact: true }).focus();
    await type('nothing like it');
    await dialog.getByText('Nothing found. Try another word.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe('New post');
    await leave();
  });

  it('shows scheduled posts before others, and finds a post by its status', async () => {
    const drafts = Array.from({ length: 9 }, () => ({ content: 'A blue draft', saveAsDraft: true as const }));
    for (const draft of drafts) await clientOf(world).posts.create(draft);
    const { page, leave } = await visit(browser(), world.url);
    await page.keyboard.press('Control+K');
    const options = page.getByRole('dialog', { name: 'Search and commands' }).getByRole('option');
    await page.keyboard.type('blue');
    await expect.poll(() => options.count()).toBe(8);
    await expect.poll(() => options.first().innerText()).toMatch(/The blue one\s+scheduled/);
    await page.keyboard.type(' scheduled');
    await expect.poll(() => options.count()).toBe(1);
    await leave();
  });

  it('lists commands first whose names begin with the query', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.keyboard.press('Control+K');
    await page.keyboard.type('connect');
    await page.getByRole('option', { selected: true }).filter({ hasText: 'Connect an account' }).waitFor();
    await page.keyboard.type(' a p');
    await page.getByRole('option', { selected: true }).filter({ hasText: 'Connect a program' }).waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('connect an');
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('Platform');
    await leave();
  });

  it('offers Undo after a move, and keeps its field in its place while the list changes', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/calendar?layout=week`);
    await page.getByRole('button', { name: /The blue one/ }).focus();
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByText(/moved to 11 Mar/).waitFor();
    await page.keyboard.press('Control+K');
    const field = page.getByRole('combobox', { name: /^Search/ });
    await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
    const before = await field.boundingBox();
    await page.keyboard.type('undo');
    await page.getByRole('option', { selected: true }).filter({ hasText: 'Undo' }).waitFor();
    expect(await field.boundingBox()).toEqual(before);
    await page.keyboard.press('Enter');
    await page.getByText(/is back at 10 Mar/).waitFor();
    await leave();
  });

  it('opens from the navigation, and a click runs a command', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('navigation').getByRole('button', { name: 'Search' }).click();
    await page.getByRole('option', { name: /Show times in UTC/ }).click();
    await page.getByRole('button', { name: /^Time zone: UTC/ }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await leave();
  });

  it('changes the health of an account, and repeats a delivery', async () => {
    const receiver = await startReceiver(() => world.service.clock.now());
    const { webhook } = world.service.seed.subscription({ webhook: { url: receiver.url } });
    receiver.secret = webhook?.secret ?? '';
    await world.service.clock.advance({ hours: 2 });
    const before = receiver.statuses.length;
    const { page, leave } = await visit(browser(), world.url);
    await page.keyboard.press('Control+K');
    await page.keyboard.type('expire token face');
    expect(await page.getByRole('listbox', { name: 'Found' }).getByRole('option').count()).toBe(1);
    await page.keyboard.press('Enter');
    // The first press asks.
    await page.getByRole('option', { name: /\? Press Enter again/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Facebook @acme.facebook: The token is expired.').waitFor();
    await page.keyboard.press('Control+K');
    await page.keyboard.type('reconnect');
    // The list of accounts is read again after the change.
    await page.getByRole('option', { name: /^Reconnect account Facebook @acme.facebook/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Facebook @acme.facebook: The account is connected again.').waitFor();
    await page.keyboard.press('Control+K');
    await page.keyboard.type('deliver again blue');
    await page.getByRole('option', { name: /^Deliver again post\.partial to .*The blue one/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Sent again: the receiver accepted 1 of 1.').waitFor();
    expect(receiver.statuses.length).toBe(before + 1);
    await leave();
    await receiver.close();
  });

  it('finds actions by other words and by their hints', async () => {
    await clientOf(world)
      .integrations.get('integration_99')
      .catch(() => undefined);
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('link', { name: '1 failed', exact: true }).waitFor();
    await page.keyboard.press('Control+K');
    const input = page.getByRole('dialog').getByRole('combobox');
    for (const [words, label] of [
      ['publish', 'New post'],
      ['clear', 'Remove everything'],
      ['+1', 'Advance the clock by 1 hour'],
      ['failed', 'Show failures in Requests'],
      ['1 failed', 'Show failures in Requests'],
    ] as const) {
      await input.fill(words);
      await page.getByRole('option', { name: label }).waitFor();
    }
    await leave();
  });

  it('asks before it resets the emulator', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.keyboard.press('Control+K');
    await page.keyboard.type('remove every');
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'Remove everything? Press Enter again' }).waitFor();
    expect(world.service.posts).toHaveLength(2);
    // Other words cancel the first press.
    await page.keyboard.type('t');
    await page.getByRole('option', { name: /^Remove everything replaces/ }).waitFor();
    await page.keyboard.press('Enter');
    expect(world.service.posts).toHaveLength(2);
    await page.keyboard.press('Enter');
    await page.getByText('The emulator is empty.').waitFor();
    expect(world.service.posts).toHaveLength(0);
    await leave();
  });

  it('clears the requests at the second Enter', async () => {
    const { page, leave } = await visit(browser(), world.url);
    expect(world.service.requests.length).toBeGreaterThan(0);
    await page.keyboard.press('Control+K');
    await page.keyboard.type('clear req');
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'Clear requests? Press Enter again' }).waitFor();
    expect(world.service.requests.length).toBeGreaterThan(0);
    await page.keyboard.press('Enter');
    await expect.poll(() => world.service.requests.length).toBe(0);
    await leave();
  });

  it('does not replace a dialog in which something is typed', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('button', { name: 'New post', exact: true }).click();
    await page.keyboard.type('A thought');
    await page.keyboard.press('Control+K');
    await expect.poll(() => page.getByLabel('Content').inputValue()).toBe('A thought');
    await leave();
  });
});

describe('single keys', () => {
  it('n opens the composer at once, so that the next key is not lost', async () => {
    const { page, leave } = await visit(browser(), world.url);
    const isOpen = await page.evaluate(async () => {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', bubbles: true }));
      // The page renders in a microtask or a timer of 0 ms, and paints later.
      await new Promise((resolve) => setTimeout(resolve));
      return document.querySelector('dialog')?.open;
    });
    expect(isOpen).toBe(true);
    await leave();
  });

  it('are listed by ?, go to views and layouts, and mean nothing while a user types', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Go to Posts').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('w');
    await page.getByRole('heading', { name: '8 Mar – 14 Mar 2027' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await expect.poll(() => focused(page)).toBe('Posts');
    await page.keyboard.press('/');
    await expect.poll(() => focused(page)).toBe('Search');
    await page.keyboard.type('gn?');
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('gn?');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('heading', { name: 'Posts' }).focus();
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'New post' }).waitFor();
    await leave();
  });

  it('work at once after Escape closed a dialog', async () => {
    const { page, leave } = await visit(browser(), world.url);
    for (let round = 0; round < 6; round += 1) {
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('w');
      await page.getByRole('list', { name: 'Days of the week' }).waitFor();
      await page.keyboard.press('m');
      await page.getByRole('table').waitFor();
    }
    await leave();
  });

  it('can be switched off, and stay off after a reload', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/posts?tool=shortcuts`);
    await page.getByLabel('Single keys are shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('n');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('Control+K');
    await page.getByRole('dialog', { name: 'Search and commands' }).waitFor();
    await leave();
  });
});

describe('the navigation', () => {
  it('counts failures and leads to them, as they happen', async () => {
    world.service.seed.subscription({ channel: 'webhook', webhook: { url: 'http://127.0.0.1:1/' } });
    const client = clientOf(world);
    await client.integrations.get('integration_99').catch(() => undefined);
    const { page, leave } = await visit(browser(), world.url);
    const nav = page.getByRole('navigation', { name: 'Views' });
    const count = (words: string) => nav.getByRole('link', { name: words });
    await count('1 failed').waitFor();
    expect(await count('failed or partial').count()).toBe(0);
    await world.service.clock.advance({ hours: 2 });
    await count('1 failed or partial').waitFor();
    await count('1 not delivered').waitFor();
    await client.integrations.get('integration_99').catch(() => undefined);
    await nav.getByRole('link', { name: '2 failed', exact: true }).click();
    await page.getByText(/^2 of \d+ requests/).waitFor();
    await count('1 failed or partial').click();
    await page.getByText('1 of 2 posts').waitFor();
    const [account] = await client.integrations.list().toArray();
    world.service.accounts.expire(account?.id ?? '');
    await count('1 not connected').waitFor();
    await page.keyboard.press('Control+K');
    await page.keyboard.type('failures req');
    await page.keyboard.press('Enter');
    await page.getByText(/^2 of \d+ requests/).waitFor();
    const accountId = (await client.integrations.list({ platform: 'instagram' }).toArray())[0]?.id ?? '';
    const automation = world.service.seed.automation({
      accountId,
      trigger: { postScope: 'any', keywords: ['guide'], matchMode: 'exact' },
      actions: { publicReplies: ['Sent!'] },
    });
    const platforms = [{ platform: 'instagram', accountId }] as const;
    const post = world.service.seed.post({
      content: 'Guide',
      status: 'published',
      platforms,
      rawRequestBody: { platforms },
    });
    expect(await count('failed runs').count()).toBe(0);
    world.service.accounts.expire(accountId);
    const postId = post.platforms?.[0]?.platformPostId ?? '';
    world.service.incoming.comment({ accountId, postId, text: 'guide', author: { id: 'kim', name: 'Kim' } });
    await world.service.clock.advance({ seconds: 2 });
    await count('1 failed runs').click();
    await page.getByRole('heading', { name: 'Automations', level: 1 }).waitFor();
    expect(page.url()).toContain(`automation=${automation.id}`);
    await page.evaluate(() => fetch('./_emulator/requests', { method: 'DELETE' }));
    await count('2 failed').waitFor({ state: 'detached' });
    await leave();
  });
});
