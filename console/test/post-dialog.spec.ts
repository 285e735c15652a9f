import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserForAll, desktop, phone, visit } from './support/browser.js';
import { schedulePost, serveWorld, type World } from './support/world.js';

const browser = browserForAll();
const platforms = ['bluesky', 'facebook', 'instagram', 'linkedin', 'threads', 'tiktok'] as const;
let world: World;
let address: string;

beforeEach(async () => {
  world = await serveWorld((service) => {
    for (const platform of platforms)
      for (const username of ['acme.north', 'acme.south']) service.seed.integration({ platform, username });
  });
  address = `${world.url}#/posts?post=${await schedulePost(world, 'The blue one')}`;
});

afterEach(() => world.close());

const targetsIn = (page: Page) => page.getByRole('dialog').locator('.target-list > li');

/** Presses Tab through the dialog. Returns the controls that are below the buttons of the foot, or out of sight. */
async function hiddenStops(page: Page): Promise<readonly string[]> {
  const hidden: string[] = [];
  for (let pressed = 0; pressed < 40; pressed += 1) {
    await page.keyboard.press('Tab');
    const name = await page.evaluate(() => {
      const element = document.activeElement;
      // A code block may be higher than the page.
      if (element?.matches('a, button, input, summary') !== true) return '';
      const { left, top, width, height } = element.getBoundingClientRect();
      const seen = document.elementFromPoint(left + width / 2, top + height / 2);
      const isWhole = top >= 0 && top + height <= innerHeight;
      if (isWhole && seen !== null && (element.contains(seen) || seen.contains(element))) return '';
      return element.ariaLabel ?? element.textContent;
    });
    if (name !== '') hidden.push(name);
  }
  return hidden;
}

describe('the dialog of a post with 12 targets', () => {
  it('shows a target in one line, with its button at the end', async () => {
    const { page, leave } = await visit(browser(), address);
    await targetsIn(page).nth(11).getByRole('button', { name: 'Fail this target' }).waitFor();
    const rows = await targetsIn(page).evaluateAll((items) =>
      items.map((item) => ({
        height: item.getBoundingClientRect().height,
        ends: [...item.children].map((child) => Math.round(child.getBoundingClientRect().right)).slice(-2),
      })),
    );
    expect(Math.max(...rows.map(({ height }) => height))).toBeLessThan(42);
    expect(new Set(rows.map(({ ends }) => ends.at(-1))).size).toBe(1);
    await leave();
  });

  it('shows the error of a target below its line, and takes it back', async () => {
    const { page, leave } = await visit(browser(), address);
    const target = targetsIn(page).filter({ hasText: 'TikTok@acme.south' });
    await target.getByRole('button', { name: 'Fail this target' }).click();
    await target.getByLabel('Error').fill('The video is missing');
    await target.getByRole('button', { name: 'Fail it' }).click();
    const error = target.getByText('Will fail: The video is missing');
    await error.waitFor();
    const [state, words] = await Promise.all([target.getByText('pending').boundingBox(), error.boundingBox()]);
    expect(words?.y).toBeGreaterThan((state?.y ?? Infinity) + (state?.height ?? 0) - 1);
    await target.getByRole('button', { name: /^Let it succeed/ }).click();
    await error.waitFor({ state: 'detached' });
    await target.getByRole('button', { name: 'Fail this target' }).waitFor();
    await leave();
  });

  it.each([desktop, { width: 1024, height: 600 }, phone, { width: 320, height: 568 }])(
    'keeps its actions in sight at %o, and they cover no focused control',
    async (viewport) => {
      const { page, leave } = await visit(browser(), address, { viewport });
      await targetsIn(page).nth(11).waitFor();
      for (const name of ['Edit', 'Duplicate', 'Move the clock to its time']) {
        const box = await page.getByRole('dialog').getByRole('button', { name, exact: true }).boundingBox();
        expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThan(viewport.height - 16);
      }
      expect(await hiddenStops(page)).toEqual([]);
      await leave();
    },
  );

  it('scrolls as a whole at 400 % zoom', async () => {
    const { page, leave } = await visit(browser(), address, { viewport: { width: 320, height: 256 } });
    await targetsIn(page).nth(11).waitFor();
    const dialog = page.getByRole('dialog');
    const edit = dialog.getByRole('button', { name: 'Edit' });
    expect((await edit.boundingBox())?.y).toBeGreaterThan(256);
    expect(await hiddenStops(page)).toEqual([]);
    await edit.focus();
    expect((await edit.boundingBox())?.y).toBeLessThan(256);
    expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    await leave();
  });
});
