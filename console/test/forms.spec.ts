import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserForAll, desktop, picture, visit } from './support/browser.js';
import { focused, hasVisibleFocus } from './support/keyboard.js';
import { serveWorld, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

const composer = () => `${world.url}#/posts?compose=any`;

describe('the form for a post', () => {
  it('shows all problems at once, and each disappears when its field changes', async () => {
    const { page, leave } = await visit(browser(), composer());
    const dialog = page.getByRole('dialog', { name: 'New post' });
    await dialog.getByRole('button', { name: 'Schedule' }).click();
    const content = dialog.getByText('Write something, or add media.');
    const accounts = dialog.getByText('Choose at least one account. Only a draft works without accounts.');
    await content.waitFor();
    await accounts.waitFor();
    await expect.poll(() => focused(page)).toBe('Content');
    await expect.poll(() => hasVisibleFocus(page)).toBe(true);
    await picture(page, 'form-problems');
    await dialog.getByRole('button', { name: 'Select all' }).click();
    await accounts.waitFor({ state: 'detached' });
    expect(await dialog.locator('[aria-invalid=true]').count()).toBe(1);
    await dialog.getByLabel('Content').fill('Hi');
    await content.waitFor({ state: 'detached' });
    await leave();
  });

  it.each(['not a url', 'javascript:alert(1)', 'https://images.example/a.jpg\nftp://images.example/b.jpg'])(
    'refuses media that are not web addresses: %j',
    async (media) => {
      const { page, leave } = await visit(browser(), composer());
      const dialog = page.getByRole('dialog', { name: 'New post' });
      await dialog.getByRole('button', { name: 'Select all' }).click();
      await dialog.getByLabel('Media').fill(media);
      await dialog.getByRole('button', { name: 'Schedule' }).click();
      await dialog.getByText(/is not a URL that starts with https:\/\/ or http:\/\/\.$/).waitFor();
      await expect.poll(() => focused(page)).toBe('Media');
      expect(world.service.posts).toEqual([]);
      await leave();
    },
  );

  it('names the chosen accounts that are not connected, and sorts the accounts by platform', async () => {
    world.service.seed.integration({ platform: 'facebook', username: 'acme.second' });
    const broken = world.service.seed.integration({ platform: 'bluesky', username: 'acme.blue' });
    world.service.accounts.expire(broken.id);
    const { page, leave } = await visit(browser(), composer());
    const group = page.getByRole('group', { name: 'Accounts' });
    const warning = group.getByText('Bluesky @acme.blue is not connected: publishing there fails.');
    await group.getByLabel('acme.second').waitFor();
    const platforms = await group.locator('.choice .hint').allInnerTexts();
    expect(platforms).toEqual(['Bluesky', 'Facebook', 'Facebook', 'Instagram', 'TikTok']);
    expect(await warning.count()).toBe(0);
    await group.getByRole('button', { name: 'Select all' }).click();
    await warning.waitFor();
    await group.getByLabel('acme.blue').uncheck();
    await warning.waitFor({ state: 'detached' });
    await leave();
  });

  it('has the kept "When", and the caret after the kept text', async () => {
    const { page, leave } = await visit(browser(), world.url);
    const dialog = page.getByRole('dialog', { name: 'New post' });
    await page.keyboard.press('n');
    await page.keyboard.type('Before');
    await dialog.getByLabel('Now').check();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await dialog.getByText('You wrote this before, and did not send it.').waitFor();
    await page.keyboard.type(' and after');
    await expect.poll(() => dialog.getByLabel('Content').inputValue()).toBe('Before and after');
    expect(await dialog.getByLabel('Now').isChecked()).toBe(true);
    await dialog.getByRole('button', { name: 'Publish now' }).waitFor();
    await leave();
  });

  it('has the kept time, but not for another day', async () => {
    const { page, leave } = await visit(browser(), world.url);
    const dialog = page.getByRole('dialog', { name: 'New post' });
    const time = dialog.getByLabel('Time', { exact: true });
    await page.keyboard.press('n');
    await page.keyboard.type('Later');
    await time.fill('2027-04-01T07:15');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.goto(composer());
    await dialog.waitFor();
    await expect.poll(() => time.inputValue()).toBe('2027-04-01T07:15');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.goto(`${world.url}#/calendar?compose=2027-05-01`);
    await dialog.waitFor();
    await expect.poll(() => time.inputValue()).toBe('2027-05-01T09:00');
    await leave();
  });
});

describe('other forms', () => {
  it('refuse a blank comment at its field', async () => {
    const accountId = world.service.seed.integration({ platform: 'instagram', username: 'acme.third' }).id;
    world.service.seed.post({
      content: 'Open',
      status: 'published',
      platforms: [{ platform: 'instagram', accountId }],
      rawRequestBody: { platforms: [{ platform: 'instagram', accountId }] },
    });
    const { page, leave } = await visit(browser(), `${world.url}#/comments?account=${accountId}`);
    const form = page.getByRole('form', { name: 'Write as a follower' });
    await form.getByLabel('Comment').fill('   ');
    await form.getByRole('button', { name: 'Comment' }).click();
    await form.getByText('Enter a text.').waitFor();
    await expect.poll(() => focused(page)).toBe('Comment');
    await leave();
  });

  it.each([
    ['2020-01-01', 'Choose a day at most 90 days after From.'],
    ['2027-04-01', 'Choose a day that is not before From.'],
  ])('refuse insights from %s at the field To, and spend no credit', async (since, problem) => {
    const { page, leave } = await visit(browser(), `${world.url}#/analytics`);
    await page.getByLabel('From').fill(since);
    await page.getByRole('button', { name: /^Read insights/ }).click();
    await page.getByText(problem).waitFor();
    await expect.poll(() => focused(page)).toBe('To');
    expect(world.service.creditsUsed).toBe(0);
    await leave();
  });

  it('require the name of a new account, and lead to the connected account', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/accounts`);
    const connect = page.getByRole('button', { name: 'Connect', exact: true });
    await connect.click();
    await expect.poll(() => focused(page)).toBe('Username');
    await page.getByLabel('Platform').first().selectOption('bluesky');
    await page.getByLabel('Username').fill('acme.blue');
    await connect.click();
    const notice = page.locator('.notice').filter({ hasText: 'Bluesky @acme.blue is connected.' });
    await notice.getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => focused(page)).toMatch(/^@acme\.blue/);
    await leave();
  });

  it('plan an outcome with the suggested error', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/faults`);
    await page.getByRole('form', { name: 'Plan an outcome' }).getByRole('button', { name: 'Add rule' }).click();
    await expect
      .poll(() => world.service.publishing.outcomes())
      .toContainEqual({ error: 'The platform refused the post.' });
    await leave();
  });

  it('keep the fields of a row in line while one of them has a problem', async () => {
    const { page, leave } = await visit(browser(), `${world.url}#/accounts`, { viewport: desktop });
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    const form = page.locator('form').filter({ has: page.getByRole('button', { name: 'Connect', exact: true }) });
    await form.locator('[aria-invalid=true]').waitFor();
    const differences = await form.locator('.form-row').evaluate((row) => {
      const boxes = [...row.children].map((field) => {
        const { top } = field.getBoundingClientRect();
        return { top, input: field.querySelector('input, select')?.getBoundingClientRect().top ?? 0 };
      });
      // Fields of the same line begin at the same height.
      return boxes.flatMap((one) =>
        boxes.filter(({ top }) => Math.abs(top - one.top) < 60).map(({ input }) => Math.abs(input - one.input)),
      );
    });
    expect(Math.max(...differences)).toBeLessThan(1.5);
    await leave();
  });
});
