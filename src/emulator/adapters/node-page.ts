import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Only CommonJS has it. */
declare const __dirname: string | undefined;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
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

/** Where a built module and the sources have the page: the build puts chunks and entries at different depths. */
const candidates = ['console', '../console', '../../../dist/console'];

/** The folder of the page, or `undefined` where it was not built. */
function pageFolder(): string | undefined {
  const here = typeof __dirname === 'string' ? __dirname : fileURLToPath(new URL('.', import.meta.url));
  const folders = candidates.map((candidate) => resolve(here, candidate));
  return folders.find((folder) => existsSync(join(folder, 'index.html')));
}

const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>The emulator</title>
<h1>The emulator runs</h1>
<p>Its console is not built. In a checkout of the package, build it with <code>npm run build</code>.</p>
<p>The control API is there all the same: <a href="/_emulator/openapi.json">its description</a>.</p>
</html>
`;

/** Sends the page at `/`, or one of its files. It tells whether there was one to send. */
export async function sendPage(path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const { method = 'GET' } = request;
  if (method !== 'GET' && method !== 'HEAD') return false;
  const page = await contentOf(path);
  if (page === undefined) return false;
  request.resume();
  const cache = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
  response.writeHead(200, {
    ...safety,
    'content-type': page.type,
    'content-length': String(page.body.length),
    'cache-control': cache,
  });
  response.end(method === 'HEAD' ? undefined : page.body);
  return true;
}

async function contentOf(path: string): Promise<{ type: string; body: Buffer } | undefined> {
  const folder = pageFolder();
  const isPage = path === '/' || path === '/index.html';
  if (folder === undefined) return isPage ? { type: types['.html'] ?? '', body: Buffer.from(notBuilt) } : undefined;
  const file = fileIn(folder, isPage ? '/index.html' : path);
  if (file === undefined) return undefined;
  try {
    return { type: types[extname(file)] ?? 'application/octet-stream', body: await readFile(file) };
  } catch {
    // None of the page's files: the service answers.
    return undefined;
  }
}

/** The file of a path, where it is one of the folder. Only plain names: no `..`, no encoded slash, no hidden file. */
export function fileIn(folder: string, path: string): string | undefined {
  const names = path.split('/').slice(1);
  if (names.some((name) => !/^[\w-][\w.-]*$/.test(name))) return undefined;
  const file = resolve(folder, ...names);
  return file.startsWith(resolve(folder) + sep) ? file : undefined;
}
