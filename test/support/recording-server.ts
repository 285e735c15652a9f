import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RecordedRequest {
  readonly method: string;
  /** Path and query, unchanged from the request line. */
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (request: RecordedRequest, count: number) => unknown;

export interface RecordingServer {
  readonly url: string;
  readonly requests: RecordedRequest[];
}

/** Serves JSON on a loopback socket and keeps every request as it came. It ends with the test. */
export async function recordingServer(
  answer: Answer,
  replyHeaders: Readonly<Record<string, string>> = {},
): Promise<RecordingServer> {
  const requests: RecordedRequest[] = [];
  // A paused client must not lose its next request: only the client closes idle connections.
  const server = createServer({ keepAliveTimeout: 0 }, (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const recorded = { method, target: url, headers, body: Buffer.concat(chunks).toString('utf8') };
      requests.push(recorded);
      void Promise.resolve(answer(recorded, requests.length)).then((body) => {
        response.writeHead(200, { 'content-type': 'application/json', ...replyHeaders });
        response.end(JSON.stringify(body));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, requests };
}
