import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening } from './listening.js';

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
    void (async () => {
      const { method = '', url = '', headers } = request;
      const recorded = { method, target: url, headers, body: await text(request) };
      requests.push(recorded);
      const body = await answer(recorded, requests.length);
      response.writeHead(200, { 'content-type': 'application/json', ...replyHeaders });
      response.end(JSON.stringify(body));
    })().catch(() => response.destroy());
  });
  return { url: (await listening(server)).url, requests };
}
