/** Serves the tools over stdio and over Streamable HTTP, for the command. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { createMcpHandler, fromJsonSchema, type Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createServerOf, type McpServerOptions, type OtherWay } from './create-server.js';
import { timingSafeEqual, createHash } from 'node:crypto';
import type { PostExtrasSchema } from '../tool.js';
import { callSafely } from '../../core/call/hooks.js';
import { isLoopback, parseUrl } from '../../core/parse-url.js';

/**
 * Reads a JSON Schema as the option `postExtras`. The library of the server checks the values.
 * @throws Error the schema is invalid
 */
export function extrasOfJsonSchema(schema: Readonly<Record<string, unknown>>): PostExtrasSchema {
  return fromJsonSchema<Record<string, unknown>>(schema);
}

export interface ServedMcp {
  /** Ends it. Running calls are aborted. */
  close(): Promise<void>;
}

export interface StdioOptions extends McpServerOptions, Pick<OtherWay, 'terminalOptions'> {
  /** Receives errors outside of calls, for example of a message that is not JSON. */
  readonly onError?: ((error: Error) => unknown) | undefined;
  /** The transport. Default: stdin and stdout of the process. */
  readonly transport?: Transport | undefined;
}

/** Serves MCP over stdin and stdout, in both revisions of the protocol. It writes nothing else to stdout. */
export function serveMcpOverStdio({ onError, transport, terminalOptions, ...options }: StdioOptions): ServedMcp {
  return serveStdio(() => createServerOf(options, { terminalOptions }), {
    ...(onError && { onerror: (error) => void callSafely(() => onError(error)) }),
    ...(transport && { transport }),
  });
}

export interface HttpOptions extends McpServerOptions, Pick<OtherWay, 'terminalOptions'> {
  /** The port on 127.0.0.1. 0 (default): any free port. */
  readonly port?: number | undefined;
  /** The bearer token that each request must have. */
  readonly token: string;
  /** Receives errors outside of calls. */
  readonly onError?: ((error: Error) => unknown) | undefined;
}

export interface ServedHttp extends ServedMcp {
  /** Its URL, for example `http://127.0.0.1:3333/mcp`. */
  readonly url: string;
}

/**
 * Serves MCP over Streamable HTTP on 127.0.0.1. It refuses requests without the token (401), for other hosts and of pages
 * of other origins (403).
 */
export async function serveMcpOverHttp(options: HttpOptions): Promise<ServedHttp> {
  const { port = 0, token, onError, terminalOptions, ...server } = options;
  const make = () => createServerOf(server, { terminalOptions, isHttp: true });
  const report = (error: Error) => void callSafely(() => onError?.(error));
  const handler = createMcpHandler(make, { onerror: report });
  const http = createServer((incoming, outgoing) => {
    const aborted = new AbortController();
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) aborted.abort();
    });
    // `toRequest` throws for TRACE, which `Request` refuses.
    const answer = async () => refusalOf(incoming, token) ?? handler.fetch(toRequest(incoming, aborted.signal));
    answer()
      .then((response) => send(response, outgoing))
      .catch((error: unknown) => {
        report(error instanceof Error ? error : new Error(String(error)));
        if (!outgoing.headersSent) outgoing.writeHead(500);
        outgoing.end();
      });
  });
  http.listen(port, '127.0.0.1');
  await once(http, 'listening'); // It rejects if the port is in use.
  const { port: listening } = http.address() as AddressInfo; // It listens on a port.
  return {
    url: `http://127.0.0.1:${String(listening)}/mcp`,
    close: async () => {
      await handler.close();
      await new Promise<void>((resolve) => {
        http.close(() => {
          resolve();
        });
        http.closeAllConnections();
      });
    },
  };
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headers } = incoming;
  const entries = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const part of [value].flat()) if (part !== undefined) entries.append(name, part);
  }
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(new URL(url, 'http://127.0.0.1'), {
    method,
    headers: entries,
    signal,
    // The types of Node's and the web's streams differ; they are the same objects.
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: 'half' }),
  });
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  // A stream of events must arrive event by event.
  for await (const chunk of response.body ?? []) outgoing.write(chunk);
  outgoing.end();
}

/**
 * Returns the reply to a request that must not be served: another path, a page of another site, or a wrong token. Pages
 * could send requests through the user's browser.
 */
function refusalOf({ url = '', headers }: IncomingMessage, token: string): Response | undefined {
  const { host, origin, authorization = '' } = headers;
  // A name of another site that resolves to this machine arrives with its own Host header.
  if (host === undefined || !isLocal(`http://${host}`)) return refused(403, 'The Host header must name this machine.');
  if (origin !== undefined && !isLocal(origin)) return refused(403, 'Pages of other origins are not served.');
  if (!isToken(authorization, token)) {
    return refused(401, 'Send the header Authorization: Bearer TOKEN.', { 'www-authenticate': 'Bearer' });
  }
  return url.split('?')[0] === '/mcp' ? undefined : refused(404, 'The path is /mcp.');
}

function isLocal(origin: string): boolean {
  return isLoopback(parseUrl(origin)?.hostname ?? '');
}

/** Compares digests, so that the time shows neither the length nor the first wrong character. */
function isToken(authorization: string, token: string): boolean {
  const [, sent] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return sent !== undefined && timingSafeEqual(digest(sent), digest(token));
}

function refused(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }, { status, headers });
}
