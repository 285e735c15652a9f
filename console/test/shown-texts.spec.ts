import { afterEach, beforeEach, expect, it } from 'vitest';
import { browserForAll, visit } from './support/browser.js';
import { schedulePost, serveWorld, startReceiver, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

it('no view shows source code or a missing value', async () => {
  const demo = await serveWorld((service) => {
    service.seed.demo();
  });
  const { page, leave } = await visit(browser(), demo.url);
  const views = 'calendar posts accounts comments messages automations analytics webhooks requests faults'.split(' ');
  for (const view of views) {
    await page.goto(`${demo.url}#/${view}`);
    await expect.poll(() => page.getByText('Loading', { exact: true }).count()).toBe(0);
    const text = await page.locator('main').innerText();
    expect({ view, wrong: /.{0,20}(\$\{|===|\bundefined\b|\bNaN\b|\[object).{0,20}/.exec(text)?.[0] }).toEqual({
      view,
    });
    if (view === 'comments')
      await page
        .getByText(/· (1 like|\d+ likes)$/)
        .first()
        .waitFor();
  }
  await leave();
  await demo.close();
});

it.each([1440, 390])('at %d px no line of code is out of sight', async (width) => {
  world.service.seed.demo();
  const { page, leave } = await visit(browser(), `${world.url}#/webhooks`, { viewport: { width, height: 900 } });
  if (width < 1_000) await page.locator('[data-row]').first().click();
  await page.getByRole('region', { name: 'Headers' }).waitFor();
  for (const code of await page.locator('pre').all())
    expect(await code.evaluate((pre) => pre.scrollWidth - pre.clientWidth)).toBe(0);
  await leave();
});

it('the dialog of a post shows its failed targets first', async () => {
  const postId = await schedulePost(world, 'The blue one');
  await world.service.clock.advance({ hours: 2 });
  const { page, leave } = await visit(browser(), `${world.url}#/posts?post=${postId}`);
  const targets = page.getByRole('dialog').locator('.target-list > li');
  await targets.first().waitFor();
  expect(await targets.count()).toBe(3);
  await expect.poll(() => targets.first().innerText()).toMatch(/TikTok[\s\S]*The video is missing/);
  await leave();
});

it('a delivery that succeeds when it is repeated stays open among the failed ones', async () => {
  const receiver = await startReceiver(() => world.service.clock.now());
  receiver.secret = 'whsec_another_secret';
  const { webhook } = world.service.seed.subscription({ webhook: { url: receiver.url } });
  for (const content of ['The blue one', 'The red one']) await schedulePost(world, content);
  await world.service.clock.advance({ minutes: 10 });
  receiver.secret = webhook?.secret ?? '';
  const { page, leave } = await visit(browser(), `${world.url}#/webhooks?outcome=failed`);
  const panel = page.getByRole('region', { name: /^Event / });
  const name = await panel.getAttribute('aria-label');
  await panel.getByRole('button', { name: 'Deliver again' }).click();
  await page.getByText(/the receiver accepted 1 of 1/).waitFor();
  await panel.getByText('Delivered (200)').waitFor();
  expect(await panel.getAttribute('aria-label')).toBe(name);
  await receiver.close();
  await leave();
});
