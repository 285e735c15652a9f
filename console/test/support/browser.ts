import { mkdirSync } from 'node:fs';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';

/** Chromium as root, without a screen and without network calls. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const desktop = { width: 1440, height: 900 };
export const phone = { width: 390, height: 844 };

function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium', headless: true, args });
}

/** One browser for all tests of a file. */
export function browserForAll(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());
  return () => {
    if (browser === undefined) throw new Error('The browser is there while tests run.');
    return browser;
  };
}

/** A page that records its errors. */
export interface Visit {
  readonly page: Page;
  /** Ends the visit. Fails if the page wrote an error or called another host. */
  readonly leave: () => Promise<void>;
}

export interface VisitOptions extends BrowserContextOptions {
  /** Expected errors of the browser. */
  readonly expected?: RegExp;
  /** Paths whose requests fail. */
  readonly blocked?: string;
}

/** Opens a page of the console and waits until it has loaded. */
export async function visit(browser: Browser, url: string, options: VisitOptions = {}): Promise<Visit> {
  const { expected, blocked, ...contextOptions } = options;
  const context = await browser.newContext({ viewport: desktop, timezoneId: 'Europe/Berlin', ...contextOptions });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(url).origin)) problems.push(`asked ${request.url()}`);
  });
  if (blocked !== undefined) await page.route(blocked, (route) => route.abort());
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return {
    page,
    async leave() {
      await context.close();
      expect(problems.filter((problem) => expected?.test(problem) !== true)).toEqual([]);
    },
  };
}

/** Saves a screenshot of the page in .tmp. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync('.tmp/console', { recursive: true });
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
  await page.screenshot({ path: `.tmp/console/${name}.png` });
}

/** Opens a view. On a narrow page, its link is in the menu. */
export async function open(page: Page, view: string): Promise<void> {
  const menu = page.getByRole('button', { name: /^Menu/ });
  const isNarrow = await menu.isVisible();
  if (isNarrow) await menu.click();
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view }).click();
  await page.waitForFunction((title) => document.title.startsWith(`${title} · `), view);
  if (isNarrow) await page.getByRole('navigation', { name: 'Views' }).waitFor({ state: 'detached' });
}
