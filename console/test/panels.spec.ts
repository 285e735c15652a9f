import { afterAll, beforeAll, expect, it } from 'vitest';
import { browserForAll, visit } from './support/browser.js';
import { serveWorld, type World } from './support/world.js';

const browser = browserForAll();
let world: World;

beforeAll(async () => {
  world = await serveWorld((service) => {
    service.seed.demo();
  });
});

afterAll(() => world.close());

const views = ['messages', 'automations', 'webhooks', 'requests', 'comments', 'faults', 'accounts', 'analytics'];

it.each(views.flatMap((view) => [[view, 1440, 900] as const, [view, 1440, 700] as const]))(
  'no panel of %s is cut off by an area that scrolls, at %i × %i',
  async (view, width, height) => {
    const { page, leave } = await visit(browser(), `${world.url}#/${view}`, { viewport: { width, height } });
    await page.locator('main .panel').first().waitFor();
    await expect.poll(() => page.getByText('Loading', { exact: true }).count()).toBe(0);
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('main .panel')]
        .filter((panel) => {
          for (let area = panel.parentElement; area !== null && area.tagName !== 'MAIN'; area = area.parentElement)
            if (getComputedStyle(area).overflowY !== 'visible')
              return panel.getBoundingClientRect().bottom > area.getBoundingClientRect().bottom;
          return false;
        })
        .map((panel) => panel.querySelector('h2')?.textContent ?? panel.className),
    );
    expect(cut).toEqual([]);
    await leave();
  },
);
