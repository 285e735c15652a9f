import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { ControlApi } from './control/api.js';
import { BadRequest, toRequest } from './node-request.js';

/** Answers a request to the control API. It never rejects. */
export async function answerControl(
  control: ControlApi,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  try {
    await sendReply(await control.fetch(await toRequest(incoming)), outgoing);
  } catch (error) {
    if (outgoing.headersSent || outgoing.destroyed) {
      outgoing.destroy();
      return;
    }
    const status = error instanceof BadRequest ? error.status : 500;
    outgoing.writeHead(status, { 'content-type': 'application/json' });
    outgoing.end(JSON.stringify({ error: error instanceof Error ? error.message : 'The emulator failed.' }));
  }
}

/** Sends a reply as fast as its reader reads. Rejects if the reader disconnects. */
export async function sendReply({ status, headers, body }: Response, outgoing: ServerResponse): Promise<void> {
  // An event stream ends with the server. A kept-alive connection would delay that end.
  if (headers.get('content-type') === 'text/event-stream') outgoing.shouldKeepAlive = false;
  outgoing.writeHead(status, Object.fromEntries(headers));
  if (body === null) outgoing.end();
  // The types of Node and of browsers name the same class.
  else await pipeline(Readable.fromWeb(body as NodeStream), outgoing);
}
