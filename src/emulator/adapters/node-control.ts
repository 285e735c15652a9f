import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import { refused, type ControlApi } from './control/api.js';
import { toRequest } from './node-request.js';

/** Answers a request to the control API. It never rejects. */
export async function answerControl(
  control: ControlApi,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  await sendReply(await toRequest(incoming).then(control.fetch, refused), outgoing);
}

/** Sends a reply as fast as its reader reads. It never rejects: a reader may disconnect. */
export async function sendReply({ status, headers, body }: Response, outgoing: ServerResponse): Promise<void> {
  // An event stream ends with the server. A kept-alive connection would delay that end.
  if (headers.get('content-type') === 'text/event-stream') outgoing.shouldKeepAlive = false;
  try {
    outgoing.writeHead(status, Object.fromEntries(headers));
    if (body === null) outgoing.end();
    // The types of Node and of browsers name the same class.
    else await pipeline(Readable.fromWeb(body as NodeStream), outgoing);
  } catch {
    outgoing.destroy();
  }
}
