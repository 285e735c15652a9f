import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ControlApi } from './control/api.js';
import { BadRequest, toRequest } from './node-request.js';

/** Answers a request to the control API. It never rejects. */
export async function answerControl(
  control: ControlApi,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => {
    gone.abort();
  });
  try {
    await send(await control.fetch(await toRequest(incoming, gone.signal)), outgoing, gone.signal);
  } catch (error) {
    if (gone.signal.aborted || outgoing.headersSent) {
      outgoing.destroy();
      return;
    }
    const status = error instanceof BadRequest ? error.status : 500;
    outgoing.writeHead(status, { 'content-type': 'application/json' });
    outgoing.end(JSON.stringify({ error: error instanceof Error ? error.message : 'The emulator failed.' }));
  }
}

async function send(response: Response, outgoing: ServerResponse, gone: AbortSignal): Promise<void> {
  // An event stream ends with the server. A kept-alive connection would delay that end.
  if (response.headers.get('content-type') === 'text/event-stream') outgoing.shouldKeepAlive = false;
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  const reader = response.body?.getReader();
  if (reader === undefined) {
    outgoing.end();
    return;
  }
  gone.addEventListener('abort', () => void reader.cancel().catch(() => undefined), { once: true });
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!outgoing.write(value)) await drained(outgoing, gone);
  }
  outgoing.end();
}

/** Waits until a slow reader has read or disconnected. */
function drained(outgoing: ServerResponse, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      outgoing.off('drain', end);
      gone.removeEventListener('abort', end);
      resolve();
    };
    outgoing.once('drain', end);
    gone.addEventListener('abort', end, { once: true });
    if (gone.aborted) end();
  });
}
