import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { targetOf } from '../../src/index.js';
import { createPublisher, MemoryDurableStore } from '../../src/publisher/index.js';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { browserForAll, visit } from './support/browser.js';
import { clientOf, serveWorld, startReceiver, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

describe('a number of failures in the navigation', () => {
  it('lists only the deliveries that failed', async () => {
    const receiver = await startReceiver(() => world.service.clock.now());
    const { webhook } = world.service.seed.subscription({ webhook: { url: receiver.url } });
    receiver.secret = webhook?.secret ?? '';
    const client = clientOf(world);
    const platforms = (await client.integrations.list({ platform: 'instagram' }).toArray()).map(targetOf);
    const publish = async (content: string) => {
      await client.posts.create({ content, platforms, publishNow: true });
      await world.service.clock.advance({ minutes: 5 });
    };
    await publish('First');
    receiver.secret = 'whsec_another_secret';
    await publish('Second');
    receiver.secret = webhook?.secret ?? '';
    await publish('Third');
    const { page, leave } = await visit(browser(), world.url);
    const count = page.getByRole('link', { name: 'not delivered' });
    await count.waitFor();
    const failed = Number(await count.innerText());
    await count.click();
    const rows = page.getByRole('list', { name: /^Deliveries/ }).getByRole('button');
    await page.getByText(new RegExp(`^${failed} of \\d+ deliveries$`)).waitFor();
    expect(await rows.count()).toBe(failed);
    expect(await rows.filter({ hasText: 'Failed (401)' }).count()).toBe(failed);
    expect(page.url()).toContain('outcome=failed');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => rows.count()).toBeGreaterThan(failed);
    await leave();
    await receiver.close();
  });

  it('counts the active rules apart from the failures, until they are used up or removed', async () => {
    const removeOutcomes = () => {
      for (const { id } of world.service.publishing.list()) world.service.publishing.remove(id);
    };
    removeOutcomes();
    const { page, leave } = await visit(browser(), world.url);
    const count = (words: string) => page.locator('.nav-rules', { hasText: words });
    await page.getByRole('link', { name: 'Faults' }).waitFor();
    expect(await page.locator('.nav-rules').count()).toBe(0);
    world.service.faults.add({ kind: 'status', status: 503, times: 1 });
    await count('1 active rule').waitFor();
    world.service.publishing.outcome({ platform: 'facebook', error: 'Down' });
    await count('2 active rules').waitFor();
    await expect(clientOf(world).posts.list().toArray()).rejects.toThrow();
    await count('1 active rule').waitFor();
    removeOutcomes();
    await page.locator('.nav-rules').waitFor({ state: 'detached' });
    await leave();
  });

  it('lists only the accounts that are not connected', async () => {
    const [account] = await clientOf(world).integrations.list({ platform: 'facebook' }).toArray();
    world.service.accounts.expire(account?.id ?? '');
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('link', { name: '1 not connected' }).click();
    await page.getByText('1 of 3 accounts').waitFor();
    expect(await page.locator('main').getByRole('heading', { name: '@acme.' }).allInnerTexts()).toEqual([
      expect.stringMatching(/^@acme\.facebook\b/),
    ]);
    await leave();
  });

  it('lists only the automations and the runs that failed', async () => {
    const client = clientOf(world);
    const accountId = (await client.integrations.list({ platform: 'instagram' }).toArray())[0]?.id ?? '';
    const seed = (name: string, keyword: string) =>
      world.service.seed.automation({
        accountId,
        name,
        trigger: { postScope: 'any', keywords: [keyword], matchMode: 'exact' },
        actions: { publicReplies: ['Sent!'] },
      });
    seed('Prices', 'price');
    seed('Guide', 'guide');
    const platforms = [{ platform: 'instagram', accountId }] as const;
    const post = world.service.seed.post({
      content: 'A',
      status: 'published',
      platforms,
      rawRequestBody: { platforms },
    });
    const postId = post.platforms?.[0]?.platformPostId ?? '';
    const comment = async (id: string) => {
      world.service.incoming.comment({ accountId, postId, text: 'guide', author: { id, name: id } });
      await world.service.clock.advance({ seconds: 2 });
    };
    await comment('kim');
    world.service.accounts.expire(accountId);
    await comment('lea');
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('link', { name: '1 failed runs' }).click();
    await page.getByText('1 of 2 automations').waitFor();
    const runs = page.getByRole('region', { name: 'Runs' });
    await runs.getByText('lea', { exact: true }).waitFor();
    // The heading and one run.
    expect(await runs.getByRole('row').count()).toBe(2);
    await leave();
  });
});

describe('the view of intents', () => {
  it('links to posts, keeps its filter in the address, and has regions with different names', async () => {
    const publisher = createPublisher({ client: clientOf(world), store: new MemoryDurableStore() });
    const body = { content: 'Durable', saveAsDraft: true } as const;
    const { postId = '' } = await publisher.publish('campaign/1', body);
    await publisher.enqueue('campaign/2', { ...body, content: 'Later' });
    const served = await serveEmulator(world.service, { console: true, observe: { publisher } });
    const { page, leave } = await visit(browser(), `${served.url}/#/durable`);
    await page.getByRole('button', { name: 'accepted: 1' }).click();
    const table = page.getByRole('list', { name: 'Intents' });
    await table.getByText('campaign/2').waitFor({ state: 'detached' });
    await page.reload();
    await table.getByText('campaign/1').waitFor();
    expect(await table.getByText('campaign/2').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'accepted: 1' }).getAttribute('aria-pressed')).toBe('true');
    expect(await page.getByRole('region', { name: 'Intents', exact: true }).count()).toBe(1);
    await table.getByRole('button', { name: postId }).click();
    await page.getByRole('dialog', { name: `Post ${postId}` }).waitFor();
    await leave();
    await served.close();
  });
});

describe('the details of a request', () => {
  it('name the fault with its status, and the operation once', async () => {
    world.service.faults.add({ kind: 'status', status: 503, route: 'POST /v1/posts/', times: 1 });
    await clientOf(world)
      .posts.create({ content: 'Refused', saveAsDraft: true })
      .catch(() => undefined);
    const { page, leave } = await visit(browser(), `${world.url}#/requests`);
    const panel = page.getByRole('region', { name: 'POST /v1/posts/' });
    await panel.getByText('fault: status 503').waitFor();
    expect((await panel.innerText()).match(/POST \/v1\/posts\//g)).toHaveLength(1);
    await expect.poll(() => panel.locator('.panel-head').innerText()).toMatch(/POST \/v1\/posts\/\s+503/);
    await leave();
  });
});
