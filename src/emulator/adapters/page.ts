import { loadPage, type PageTexts } from './load-page.js';

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: https:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const safety = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const notBuilt: PageTexts = {
  '/index.html': `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>The emulator</title>
<h1>The emulator runs</h1>
<p>Its console is not built. In a checkout of the package, build it with <code>npm run build</code>.</p>
<p>The control API works without it: <a href="./_emulator/openapi.json">its description</a>.</p>
</html>
`,
};

let texts: Promise<PageTexts> | undefined;

/** Replies with a file of the console's page; `undefined` if the path names none. `/` is the page itself. */
export async function pageReply(path: string, method = 'GET'): Promise<Response | undefined> {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const files = await (texts ??= loadPage().catch(() => notBuilt));
  const name = path === '/' ? '/index.html' : path;
  if (!Object.hasOwn(files, name)) return undefined;
  const cache = path.startsWith('/assets/') ? 'private, max-age=31536000, immutable' : 'no-cache';
  const type = types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  const headers = { ...safety, 'content-type': type, 'cache-control': cache };
  return new Response(method === 'HEAD' ? null : files[name], { headers });
}
