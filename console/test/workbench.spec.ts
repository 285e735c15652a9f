import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { open, browserForAll, visit } from './support/browser.js';
import { clientOf, schedulePost, serveWorld, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(async () => {
  await world.close();
});

/** Publishes a post of the Instagram account. */
async function publish(): Promise<void> {
  const [account] = await clientOf(world).integrations.list({ platform: 'instagram' }).toArray();
  await clientOf(world).posts.create({
    content: 'Comment GUIDE and we send it to you',
    platforms: [{ platform: 'instagram', accountId: account?.id ?? '' }],
    publishNow: true,
  });
}

async function fill(page: Page, form: string, fields: Readonly<Record<string, string>>): Promise<void> {
  const section = page.locator('section, form').filter({ has: page.getByRole('heading', { name: form }) });
  for (const [label, value] of Object.entries(fields)) await section.getByLabel(label, { exact: true }).fill(value);
}

describe('the other side', () => {
  it('writes a comment with a keyword: the automation answers it, sends a message and logs the run', async () => {
    await publish();
    const { page, leave } = await visit(browser(), world.url);
    await open(page, 'Automations');
    await fill(page, 'New automation', {
      Name: 'Brew guide',
      Keywords: 'guide, recipe',
      'Public replies': 'Sent you a message!',
      'Direct message': 'Here it is.',
    });
    await page.getByLabel('Match').selectOption('contains');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('It has not run yet').waitFor();

    await open(page, 'Comments');
    await page.getByLabel('Account').selectOption({ label: 'Instagram @acme.instagram' });
    await fill(page, 'Write as a follower', { Name: 'Ada', Comment: 'The guide, please' });
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    const comments = page.getByRole('region', { name: 'Comments on the post' });
    await comments.getByText('The guide, please').waitFor();

    await open(page, 'Automations');
    const run = page.getByRole('region', { name: 'Runs' }).getByRole('row').nth(1);
    await run.getByText('running').waitFor();
    await world.service.clock.advance({ seconds: 1 });
    await run.getByText('succeeded').waitFor();
    await expect.poll(() => run.innerText()).toMatch(/Ada.*The guide, please[\s\S]*succeeded[\s\S]*sent[\s\S]*sent/);
    await open(page, 'Comments');
    await comments.getByText('Sent you a message!').waitFor();
    await open(page, 'Messages');
    await page.getByRole('list', { name: 'Messages' }).getByText('Here it is.').waitFor();
    await page.getByLabel('Text').fill('Did it help?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('list', { name: 'Messages' }).getByText('Did it help?').waitFor();
    await leave();
  });
});

describe('faults and requests', () => {
  it('a fault that a person adds hits the next call, tells what it did, and can be removed', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await open(page, 'Faults');
    const form = page.getByRole('form', { name: 'Add a rule for requests' });
    await form.getByLabel('Route').selectOption('POST /v1/posts/');
    await form.getByLabel('Times').fill('3');
    await form.getByRole('button', { name: 'Add rule' }).click();
    await page.getByText('Status 503').waitFor();
    await expect(clientOf(world).posts.create({ content: 'A draft', saveAsDraft: true })).rejects.toMatchObject({
      status: 503,
    });
    await page.getByText('applied once').waitFor();

    await open(page, 'Requests');
    await page.getByRole('button', { name: /POST \/v1\/posts\/ 503/ }).click();
    const panel = page.getByRole('region', { name: 'POST /v1/posts/' });
    await panel.getByText('fault: status 503').waitFor();
    await expect
      .poll(() => panel.getByRole('region', { name: 'TypeScript' }).innerText())
      .toContain("await client.posts.create({\n  content: 'A draft',\n  saveAsDraft: true,\n});");
    await expect
      .poll(() => panel.getByRole('region', { name: 'Reply body' }).innerText())
      .toContain('A status fault answers 503');
    expect(await panel.innerText()).not.toContain('console-test-key');

    await open(page, 'Faults');
    await page.getByRole('button', { name: 'Remove the rule: Status 503' }).click();
    expect(world.service.faults.list()).toHaveLength(1);
    await page.getByRole('button', { name: 'Confirm: Remove the rule: Status 503' }).click();
    await page.getByText('Every request is answered as documented.').waitFor();
    // It replaces the notice of the added rule.
    await expect.poll(() => page.locator('.notice').allInnerTexts()).toEqual(['The rule is removed: Status 503.']);
    expect(world.service.faults.list()).toEqual([]);
    await leave();
  });

  it('shows how often a planned outcome applied', async () => {
    world.service.publishing.outcome({ platform: 'facebook', error: 'Down', times: 3 });
    const { page, leave } = await visit(browser(), `${world.url}#/faults`);
    const rule = page.getByRole('listitem').filter({ hasText: 'Down' });
    await rule.getByText('not applied yet, 3 more times', { exact: true }).waitFor();
    for (const content of ['First', 'Second']) await schedulePost(world, content);
    await world.service.clock.advance({ hours: 2 });
    await rule.getByText('applied 2 times, 1 more time', { exact: true }).waitFor();
    await leave();
  });

  it('removes one planned outcome after a second press, and keeps the others', async () => {
    world.service.publishing.reset();
    world.service.publishing.outcome({ platform: 'facebook', error: 'Down', times: 1 });
    world.service.publishing.outcome({ platform: 'tiktok', error: 'Refused' });
    const { page, leave } = await visit(browser(), `${world.url}#/faults`);
    await page.getByText('1 more time').waitFor();
    await page.getByRole('button', { name: 'Remove the outcome: Facebook: Down' }).click();
    expect(world.service.publishing.outcomes()).toHaveLength(2);
    await page.getByRole('button', { name: 'Confirm: Remove the outcome: Facebook: Down' }).click();
    await expect.poll(() => world.service.publishing.outcomes()).toEqual([{ platform: 'tiktok', error: 'Refused' }]);
    await page.getByText('1 more time').waitFor({ state: 'detached' });
    await leave();
  });

  it('what the page reads by itself is neither recorded nor hit', async () => {
    world.service.faults.add({ kind: 'status', status: 500, times: 1 });
    const { page, leave } = await visit(browser(), world.url);
    for (const view of ['Posts', 'Accounts', 'Messages', 'Automations']) await open(page, view);
    expect(world.service.requests).toEqual([]);
    expect(world.service.faults.unused()).toHaveLength(1);
    await leave();
  });
});

describe('the connection', () => {
  it('shows what another program does as it happens', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.getByText('Live', { exact: true }).waitFor();
    await open(page, 'Posts');
    await clientOf(world).posts.create({ content: 'From elsewhere', saveAsDraft: true });
    await page.getByRole('button', { name: /From elsewhere/ }).waitFor();
    await leave();
  });

  it('tells of what the page changes itself, so that it is read once more and not twice', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.getByText('Live', { exact: true }).waitFor();
    await open(page, 'Faults');
    const form = page.getByRole('form', { name: 'Add a rule for requests' });
    const reads: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'GET') reads.push(new URL(request.url()).pathname);
    });
    await form.getByRole('button', { name: 'Add rule' }).click();
    await page.getByText('Status 503').locator('xpath=ancestor::li').getByText('not applied yet').waitFor();
    // Late changes arrive before the other program's post is shown.
    await clientOf(world)
      .posts.create({ content: 'A draft', saveAsDraft: true })
      .catch(() => undefined);
    await page.getByText('applied once').waitFor();
    expect(reads.filter((path) => path === '/_emulator/faults')).toHaveLength(2);
    await leave();
  });

  it('goes on by polling where the stream does not come through, and says so', async () => {
    const { page, leave } = await visit(browser(), world.url, { blocked: '**/events', expected: /ERR_FAILED/ });
    await page.getByText('Polling', { exact: true }).waitFor();
    await open(page, 'Posts');
    await clientOf(world).posts.create({ content: 'Found by polling', saveAsDraft: true });
    await page.getByRole('button', { name: /Found by polling/ }).waitFor();
    await leave();
  });
});

describe('analytics', () => {
  it('cost nothing until they are asked for, and say what they cost', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await open(page, 'Analytics');
    expect(world.service.creditsUsed).toBe(0);
    await page.getByRole('button', { name: 'Read posts (costs 1 credit)' }).click();
    await page.getByText('This page has used 1 so far').waitFor();
    await page.getByRole('button', { name: 'Read insights (costs 2 credits)' }).click();
    await page.getByText('This page has used 3 so far').waitFor();
    expect(world.service.creditsUsed).toBe(3);
    await leave();
  });
});
