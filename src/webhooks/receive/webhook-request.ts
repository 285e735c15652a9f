import { ConfigurationError } from '../../core/errors.js';
import type { WebhookHeaders } from '../verify/headers.js';
import { bytesOf, type RawBody } from '../verify/signatures.js';
import { bodyNotRaw, bodyTooLarge, maxBodyBytes } from '../verify/verify.js';

/** A request in Node, as a receiver uses it: `http.IncomingMessage` and Express's request have this shape. */
export interface NodeRequest {
  /** The HTTP method. */
  readonly method?: string | undefined;
  /** The headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Whether the body was already read to its end. */
  readonly readableEnded: boolean;
  /** Whether the whole body has arrived. */
  readonly complete?: boolean;
  /** Adds a listener for a chunk of the body, its end, or a failure. */
  on(event: string, listener: (argument: unknown) => void): unknown;
  /** Removes a listener. */
  off(event: string, listener: (argument: unknown) => void): unknown;
  /** Discards the rest of the body. */
  resume(): unknown;
}

/** A response in Node, as a receiver uses it: `http.ServerResponse` and Express's response have this shape. */
export interface NodeResponse {
  /** The HTTP status. */
  statusCode: number;
  /** Whether a response was already sent. */
  readonly headersSent: boolean;
  /** Sets a header. */
  setHeader(name: string, value: string): unknown;
  /** Sends the body and ends the response. */
  end(body: string): unknown;
}

/** A request of either kind, `fetch` or Node. */
export interface WebhookRequest {
  readonly method: string | undefined;
  readonly headers: WebhookHeaders;
  /** The original request, for the caller's callbacks. */
  readonly request: Request | NodeRequest;
  /**
   * Reads the body, at most `maxBodyBytes`.
   * @throws WebhookVerificationError the body is too large or was read before
   * @throws ConfigurationError it is not a `Request`; any other error: the body ended early
   */
  readonly readBody: (deadline: AbortSignal) => Promise<RawBody>;
}

export function requestOfFetch(request: Request): WebhookRequest {
  // Only code without types passes another object, such as the context of Hono.
  const isRequest = typeof (request.headers as Partial<Headers> | undefined)?.get === 'function';
  return {
    method: isRequest ? request.method : 'POST', // `readBody` reports the object.
    headers: request.headers,
    request,
    readBody: async (deadline) => {
      if (!isRequest)
        throw new ConfigurationError(
          'receiver.fetch needs a Request. In Node, Express and Fastify, mount receiver.node. In Hono, pass context.req.raw.',
        );
      if (request.bodyUsed) throw bodyNotRaw();
      checkLength(request.headers.get('content-length'));
      // On Node, Hono creates the stream here. If nothing reads it, the connection ends before the response.
      const { body } = request;
      if (body?.locked === true) throw bodyNotRaw();
      if (typeof body?.getReader === 'function') return readStream(body, deadline);
      // The Request of node-fetch has a Node stream.
      const stream = body as NodeRequest | null;
      if (typeof stream?.on === 'function') return readEvents(stream, deadline);
      // The body is empty, or in memory, as in other polyfills.
      const bytes = await request.arrayBuffer();
      checkLength(String(bytes.byteLength));
      return bytes;
    },
  };
}

export function requestOfNode(request: NodeRequest): WebhookRequest {
  return {
    method: request.method,
    headers: request.headers,
    request,
    readBody: async (deadline) => {
      const { body, rawBody } = request as { body?: unknown; rawBody?: unknown };
      // Some hosts and body parsers keep the bytes in `rawBody`; express.raw() and express.text() leave them in `body`.
      for (const candidate of [rawBody, body]) {
        if (typeof candidate === 'string' || bytesOf(candidate) !== undefined) return candidate as RawBody;
      }
      // Some body parsers set an empty object even if they read nothing.
      const isParsed = typeof body === 'object' && body !== null && Object.keys(body).length > 0;
      if (isParsed || request.readableEnded) throw bodyNotRaw();
      checkLength(request.headers['content-length']);
      return readEvents(request, deadline);
    },
  };
}

function checkLength(contentLength: string | readonly string[] | null | undefined): void {
  if (Number(contentLength ?? 0) > maxBodyBytes) throw bodyTooLarge();
}

/** The chunks of a body, up to `maxBodyBytes`. */
class Chunks {
  readonly #chunks: Uint8Array[] = [];
  #size = 0;

  add(chunk: unknown): void {
    // A stream with an encoding yields text, whose bytes can differ from the received bytes.
    const bytes = typeof chunk === 'string' ? undefined : bytesOf(chunk);
    if (bytes === undefined) throw bodyNotRaw();
    this.#size += bytes.length;
    if (this.#size > maxBodyBytes) throw bodyTooLarge();
    this.#chunks.push(bytes);
  }

  join(): Uint8Array {
    const all = new Uint8Array(this.#size);
    let offset = 0;
    for (const chunk of this.#chunks) {
      all.set(chunk, offset);
      offset += chunk.length;
    }
    return all;
  }
}

const tooLate = () => new Error('The body of the delivery did not arrive in time.');

async function readStream(stream: ReadableStream<Uint8Array>, deadline: AbortSignal): Promise<Uint8Array> {
  const reader = stream.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  deadline.addEventListener('abort', cancel);
  try {
    const chunks = new Chunks();
    for (;;) {
      const { done, value } = await reader.read();
      // A cancelled reader reports `done`.
      if (deadline.aborted) throw tooLate();
      if (done) return chunks.join();
      chunks.add(value);
    }
  } catch (error) {
    cancel();
    throw error;
  } finally {
    deadline.removeEventListener('abort', cancel);
  }
}

// Uses events: leaving an async iteration over the request would destroy its socket, and the response with it.
function readEvents(request: NodeRequest, deadline: AbortSignal): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks = new Chunks();
    const end = (error?: Error) => {
      request.off('data', onData);
      request.off('end', onEnd);
      request.off('close', onClose);
      deadline.removeEventListener('abort', onLate);
      // Discards the rest of the body, so that the client reads the response.
      request.resume();
      if (error === undefined) resolve(chunks.join());
      else reject(error);
    };
    const onData = (chunk: unknown) => {
      try {
        chunks.add(chunk);
      } catch (error) {
        end(error as Error); // add() throws only errors.
      }
    };
    const onEnd = () => {
      end();
    };
    const onClose = () => {
      end(new Error('The connection was closed before the body of the delivery was complete.'));
    };
    const onLate = () => {
      end(tooLate());
    };
    request.on('data', onData);
    request.on('end', onEnd);
    request.on('close', onClose);
    // Never removed: an unhandled error event would end the process.
    request.on('error', onClose);
    deadline.addEventListener('abort', onLate);
    // Other code may have paused the stream.
    request.resume();
  });
}
