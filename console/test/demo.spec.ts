import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { browserForAll, open, visit } from './support/browser.js';

const browser = browserForAll();

it('the demo leaves its console open with what happened in it, and ends at a signal', async () => {
  const demo = spawn(process.execPath, ['--import', 'tsx', 'examples/demo.ts', '--console', '--fast', '--no-open']);
  const ended = once(demo, 'exit') as Promise<[number | null]>;
  try {
    const { page, leave } = await visit(browser(), await addressOf(demo.stdout));
    await open(page, 'Posts');
    await page.getByLabel('Search').fill('The blue one');
    await page.getByRole('button', { name: /The blue one is back.*partial/ }).click();
    await page.getByText('The video is missing', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await open(page, 'Webhooks');
    await page.getByRole('button', { name: /^post\.partial Delivered.*The blue one/ }).click();
    await page.getByText('Signature valid').waitFor();
    await leave();
  } finally {
    demo.kill('SIGTERM');
  }
  expect((await ended)[0]).toBe(0);
});

async function addressOf(output: Readable): Promise<string> {
  let printed = '';
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    printed += String(chunk);
    const [, url] = /The console: (\S+)/.exec(printed) ?? [];
    if (url !== undefined) return `${url}/`;
  }
  throw new Error(`The demo ended early:\n${printed}`);
}
