import type { IncomingMessage, ServerResponse } from 'node:http';
import { pageFile } from './page.js';

export async function sendPage(path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const { method = 'GET' } = request;
  if (method !== 'GET' && method !== 'HEAD') return false;
  const file = await pageFile(path);
  if (file === undefined) return false;
  request.resume();
  response.writeHead(200, { ...file.headers, 'content-length': String(Buffer.byteLength(file.body)) });
  response.end(method === 'HEAD' ? undefined : file.body);
  return true;
}
