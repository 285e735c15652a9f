/**
 * Checks the site that `npm run site` builds, from the file system like a reader may open it. Every link leads to an
 * existing page and place. In Chromium, in light and dark and on a phone, nothing overflows, no script fails, axe finds
 * nothing serious, and the search works. Screenshots go to .tmp/site.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { chromium, type Page } from 'playwright-core';
import { programMissing } from '../../test/support/temporary-servers.js';

const site = resolve('site');
/** Typedoc puts a link into the summary of each folding part: both can be reached and used by keyboard. */
const ofTypedoc = new Set(['nested-interactive']);
const pictures = '.tmp/site';
const findings: string[] = [];

const pages = crawl();
console.log(`${pages.size} pages, all links followed`);

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
if (!existsSync(executablePath)) {
  for (const finding of new Set(findings)) console.error(finding);
  console.error(`There is no Chromium at ${executablePath}: apt-get install chromium, or set CHROMIUM_PATH.`);
  process.exit(findings.length === 0 ? programMissing : 1);
}
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
mkdirSync(pictures, { recursive: true });
const looks = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
] as const;
/** The pages of operations are alike: one of them is enough. */
const ofOperation = /^documents\/[a-z]+\.(?!html)/;
const guides = [...pages].filter((path) => path.startsWith('documents/') && !ofOperation.test(path));
const shown = [
  'index.html',
  ...guides,
  'documents/posts.list.html',
  'classes/social-publishing.SocialPublishing.html',
  'modules/social-publishing_publisher.html',
];
for (const { name, ...look } of looks) {
  const page = await browser.newPage(look);
  page.on('pageerror', ({ message }) => findings.push(`${name}: ${message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith('file:') && !request.url().startsWith('data:'))
      findings.push(`${name}: asks for ${request.url()}`);
  });
  for (const path of shown) await inspect(page, name, path);
  if (name !== 'phone') await search(page, name);
  await page.close();
}
await browser.close();
console.log(
  `${shown.length} pages looked at in ${looks.map(({ name }) => name).join(', ')}; pictures are in ${pictures}`,
);
for (const finding of new Set(findings)) console.error(finding);
process.exitCode = findings.length === 0 ? 0 : 1;

/** All pages that links lead to, from the first one on. */
function crawl(): Set<string> {
  const known = new Map<string, { ids: Set<string>; links: string[] }>();
  const open = ['index.html', 'modules.html', 'hierarchy.html'];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (known.has(path)) continue;
    const html = readFileSync(join(site, path), 'utf8');
    const ids = new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => decode(id)));
    const links = [...html.matchAll(/\shref="([^"]+)"/g)].map(([, link = '']) => decode(link)).filter(isOwn);
    known.set(path, { ids, links });
    for (const link of links) {
      const target = targetOf(path, link).path;
      if (target.endsWith('.html') && exists(target)) open.push(target);
    }
  }
  for (const [path, { links }] of known) {
    for (const link of links) {
      const { path: target, id } = targetOf(path, link);
      if (!exists(target)) findings.push(`${path}: ${link} leads nowhere`);
      else if (id !== '' && known.get(target)?.ids.has(id) === false)
        findings.push(`${path}: ${link} has no such place`);
    }
  }
  return new Set(known.keys());
}

function isOwn(link: string): boolean {
  return !/^[a-z]+:/i.test(link);
}

function targetOf(path: string, link: string): { path: string; id: string } {
  const [file = '', id = ''] = link.split('#');
  const target = file === '' ? path : relative(site, resolve(site, dirname(path), decodeURIComponent(file)));
  return { path: target, id: decodeURIComponent(id) };
}

function exists(path: string): boolean {
  try {
    readFileSync(join(site, path));
    return true;
  } catch {
    return false;
  }
}

function decode(text: string): string {
  return text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
}

async function inspect(page: Page, look: string, path: string): Promise<void> {
  await page.goto(pathToFileURL(join(site, path)).href);
  const wider = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  if (Number(wider) > 0) findings.push(`${look}: ${path} is ${String(wider)} pixels wider than the window`);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  for (const { id, impact, nodes } of violations) {
    if ((impact !== 'serious' && impact !== 'critical') || ofTypedoc.has(id)) continue;
    findings.push(`${look}: ${path}: ${id}: ${nodes[0]?.html.slice(0, 160) ?? ''}`);
  }
  if (/index\.html|scheduling|posts\.list|SocialPublishing/.test(path))
    await page.screenshot({ path: join(pictures, `${look}-${path.replaceAll('/', '-')}.png`) });
}

async function search(page: Page, look: string): Promise<void> {
  await page.goto(pathToFileURL(join(site, 'index.html')).href);
  for (const words of ['createPublisher', 'zonedTime', 'rate limit']) {
    await page.locator('#tsd-search-trigger').click();
    await page.locator('#tsd-search-input').fill(words);
    const found = page.locator('#tsd-search-results li').first();
    await found
      .waitFor({ timeout: 10_000 })
      .catch(() => findings.push(`${look}: the search finds nothing for ${words}`));
    await page.keyboard.press('Escape');
  }
}
