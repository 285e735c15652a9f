/**
 * Serves the built page, and adds the access key to its calls. Put your authentication before it: anyone who can call
 * /proxy can use the key.
 *
 * PORT=3000 npx tsx examples/react-query/server.ts dist
 */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { text } from 'node:stream/consumers';

const serviceUrl = process.env.SOCIAL_PUBLISHING_BASE_URL ?? '';
const accessKey = process.env.SOCIAL_PUBLISHING_ACCESS_KEY ?? '';
const folder = process.argv[2] ?? 'dist';
/** The operations that the page needs. */
const allowed = new Set(['GET /v1/posts/', 'POST /v1/posts/']);
const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

async function proxy(request: IncomingMessage, response: ServerResponse, { pathname, search }: URL): Promise<void> {
  const { method = 'GET' } = request;
  const path = pathname.slice('/proxy'.length);
  if (!allowed.has(`${method} ${path}`)) {
    response.writeHead(403).end('not allowed');
    return;
  }
  const reply = await fetch(serviceUrl + path + search, {
    method,
    headers: { 'x-access-key': accessKey, 'content-type': 'application/json' },
    ...(method === 'GET' ? {} : { body: await text(request) }),
    redirect: 'manual',
  });
  for (const name of ['content-type', 'retry-after', 'date']) {
    const value = reply.headers.get(name);
    if (value !== null) response.setHeader(name, value);
  }
  response.writeHead(reply.status).end(await reply.text());
}

async function page(response: ServerResponse, pathname: string): Promise<void> {
  // A URL cannot leave the folder: `..` is already resolved.
  const file = join(folder, normalize(pathname === '/' ? '/index.html' : pathname));
  const content = await readFile(file).catch(() => undefined);
  if (content === undefined) response.writeHead(404).end('not found');
  else response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' }).end(content);
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const done = url.pathname.startsWith('/proxy/') ? proxy(request, response, url) : page(response, url.pathname);
  done.catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    response.writeHead(502).end('the service did not answer');
  });
});
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log('listening', server.address());
});
