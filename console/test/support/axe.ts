import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Returns the serious and critical findings of axe. */
export async function findings(page: Page): Promise<string[]> {
  // Run by the browser's debugger, because the page's policy allows no other script.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join('\n    ')}`);
}
