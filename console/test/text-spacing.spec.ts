import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserForAll, desktop, phone, picture, visit } from './support/browser.js';
import { placesOf, serveFullWorld, type FullWorld } from './support/places.js';

const browser = browserForAll();
let world: FullWorld;

beforeAll(async () => {
  world = await serveFullWorld();
});

afterAll(() => world.close());

/** The spacing of WCAG 1.4.12, which a user may set. */
async function spaceText(page: Page): Promise<void> {
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
       p { margin-bottom: 2em !important; }`,
    );
    document.adoptedStyleSheets = [sheet];
  });
}

/** Returns the texts that are cut off, and the pairs of texts that overlap. Texts that end in an ellipsis are shortened. */
const faultsIn = (page: Page) =>
  page.evaluate(() => {
    interface Line {
      readonly parent: Element;
      readonly words: string;
      readonly box: DOMRect;
    }
    const faults = new Set<string>();
    const lines: Line[] = [];
    const scope = document.querySelector('dialog[open]') ?? document.body;
    const named = (element: Element) => `${element.tagName.toLowerCase()}.${element.className}`;
    /** Returns the visible part of a box. Notes it as cut off if a part cannot be scrolled into view. */
    const clipped = (parent: Element, words: string, box: DOMRect): DOMRect | undefined => {
      let { left, top, right, bottom } = box;
      for (let element: Element | null = parent; element !== null; element = element.parentElement) {
        const { overflowX, overflowY, textOverflow, webkitLineClamp, clipPath, position } = getComputedStyle(element);
        if (clipPath !== 'none') return undefined;
        const frame = element.getBoundingClientRect();
        const isShortened = textOverflow === 'ellipsis' || webkitLineClamp !== 'none';
        if (overflowX !== 'visible') {
          const isCut = overflowX === 'hidden' && (right > frame.right + 1 || left < frame.left - 1);
          if (isCut && !isShortened) faults.add(`cut: “${words}” by ${named(element)}`);
          [left, right] = [Math.max(left, frame.left), Math.min(right, frame.right)];
        }
        if (overflowY !== 'visible') {
          const isCut = overflowY === 'hidden' && (bottom > frame.bottom + 1 || top < frame.top - 1);
          if (isCut && !isShortened) faults.add(`cut: “${words}” by ${named(element)}`);
          [top, bottom] = [Math.max(top, frame.top), Math.min(bottom, frame.bottom)];
        }
        if (position === 'fixed') break;
      }
      if (right > innerWidth + 1) faults.add(`outside: “${words}”`);
      return right - left > 1 && bottom - top > 1 ? new DOMRect(left, top, right - left, bottom - top) : undefined;
    };
    const texts = document.createTreeWalker(scope, NodeFilter.SHOW_TEXT);
    while (texts.nextNode() !== null) {
      const parent = texts.currentNode.parentElement;
      const words = texts.currentNode.textContent?.trim() ?? '';
      if (parent === null || words === '' || parent.closest('option, svg') !== null) continue;
      // A hidden text may keep the place of another one.
      if (!parent.checkVisibility({ visibilityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(texts.currentNode);
      for (const rect of range.getClientRects()) {
        const box = clipped(parent, words.slice(0, 40), rect);
        if (box !== undefined) lines.push({ parent, words: words.slice(0, 40), box });
      }
    }
    for (const [index, a] of lines.entries())
      for (const b of lines.slice(index + 1)) {
        const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        if (a.parent !== b.parent && across > 2 && down > 3) faults.add(`overlap: “${a.words}” and “${b.words}”`);
      }
    return [...faults];
  });

describe.each([desktop, phone])('with the text spacing of WCAG 1.4.12 at %o', (viewport) => {
  it('no text is cut off, and none overlaps another', async () => {
    const { page, leave } = await visit(browser(), world.url, { viewport });
    const found: Record<string, readonly string[]> = {};
    for (const place of placesOf(world)) {
      await page.goto(world.url + place);
      await page.reload();
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForTimeout(400);
      await spaceText(page);
      await page.waitForTimeout(150);
      const faults = await faultsIn(page);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > viewport.width) faults.push(`The page is ${width} wide.`);
      if (faults.length > 0) {
        found[place] = faults;
        await picture(page, `spacing-${viewport.width}-${place.replaceAll(/\W+/g, '-')}`);
      }
    }
    expect(found).toEqual({});
    await leave();
  });
});
