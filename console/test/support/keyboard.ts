import type { Page } from 'playwright-core';

const mostTabs = 80;

/** Returns the accessible name of the focused element. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement)) return '';
    const labels = 'labels' in element ? [...((element.labels ?? []) as NodeListOf<HTMLElement>)] : [];
    const words = element.getAttribute('aria-label') ?? labels[0]?.innerText ?? element.innerText;
    return words.replaceAll(/\s+/g, ' ').trim();
  });
}

/** Presses Tab until something with that name has the focus. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let pressed = 0; pressed < mostTabs; pressed += 1) {
    await page.keyboard.press('Tab');
    if (name.test(await focused(page))) return;
  }
  throw new Error(`Tab never came to ${String(name)}; it is at '${await focused(page)}'`);
}

export function hasVisibleFocus(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return false;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
  });
}
