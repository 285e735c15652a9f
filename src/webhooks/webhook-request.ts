import type { WebhookHeaders } from './headers.js';
import { bytesOf, type RawBody } from './hmac.js';
import { bodyNotRaw, bodyTooLarge, maxBodyBytes } from './verify.js';

/** What a receiver needs of a request in Node: `http.IncomingMessage` has it, and so has Express's request. */
export interface NodeRequest {
  /** The HTTP method. */
  readonly method?: string | undefined;
  /** The headers, their names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Whether the body was read to its end before. */
  readonly readableEnded: boolean;
  /** Whether the whole body has come. */
  readonly complete?: boolean;
  /** Listens for a part of the body, its end, or a failure. */
  on(event: string, listener: (argument: unknown) => void): unknown;
  /** Stops listening. */
  off(event: string, listener: (argument: unknown) => void): unknown;
  /** Lets go of what is not read. */
  resume(): unknown;
}

/** What a receiver needs of a response in Node: `http.ServerResponse` has it, and so has Express's response. */
export interface NodeResponse {
  /** The HTTP status. */
  statusCode: number;
  /** Whether something was answered before. */
  readonly headersSent: boolean;
  /** Sets a header. */
  setHeader(name: string, value: string): unknown;
  /** Sends the body and ends. */
  end(body: string): unknown;
}

/** A delivery, however it came. */
export interface Delivery {
  readonly method: string | undefined;
  /** `''` where there is none. */
  readonly contentType: string;
  readonly headers: WebhookHeaders;
  /** What the caller's callbacks get. */
  readonly request: Request | NodeRequest;
  /**
   * Reads the body, up to the greatest size that is taken.
   * @throws WebhookVerificationError it is too large, or something else has read it before; any other error: it broke off
   */
  readonly read: (deadline: AbortSignal) => Promise<RawBody>;
}

/** A delivery that comes as a `Request`. */
export function fromFetch(request: Request): Delivery {
  return {
    method: request.method,
    contentType: request.headers.get('content-type') ?? '',
    headers: request.headers,
    request,
    read: async (deadline) => {
      if (request.bodyUsed) throw bodyNotRaw();
      checkLength(request.headers.get('content-length'));
      const { body } = request;
      // No body, or a runtime that doesn't stream it.
      return body === null ? request.arrayBuffer() : readStream(body, deadline);
    },
  };
}

/** A delivery that comes as a request of Node. */
export function fromNode(request: NodeRequest): Delivery {
  const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);
  return {
    method: request.method,
    contentType: first(request.headers['content-type']) ?? '',
    headers: request.headers,
    request,
    read: async (deadline) => {
      const { body, rawBody } = request as { body?: unknown; rawBody?: unknown };
      // Some hosts and body parsers keep the bytes in `rawBody`; express.raw() and express.text() leave them in `body`.
      for (const candidate of [rawBody, body]) {
        if (typeof candidate === 'string' || bytesOf(candidate) !== undefined) return candidate as RawBody;
      }
      // Some body parsers leave an empty object where they did nothing.
      const isParsed = typeof body === 'object' && body !== null && Object.keys(body).length > 0;
      // Nothing more would come of a stream that has ended.
      if (isParsed || request.readableEnded) throw bodyNotRaw();
      checkLength(first(request.headers['content-length']));
      return readEvents(request, deadline);
    },
  };
}

function checkLength(contentLength: string | null | undefined): void {
  if (Number(contentLength ?? 0) > maxBodyBytes) throw bodyTooLarge();
}

/** The chunks of a body, and nothing once there are too many. */
class Chunks {
  readonly #chunks: Uint8Array[] = [];
  #size = 0;

  add(chunk: unknown): void {
    // A stream with an encoding gives text, whose bytes need not be those that came.
    const bytes = typeof chunk === 'string' ? undefined : bytesOf(chunk);
    if (bytes === undefined) throw bodyNotRaw();
    this.#size += bytes.length;
    if (this.#size > maxBodyBytes) throw bodyTooLarge();
    this.#chunks.push(bytes);
  }

  join(): Uint8Array {
    const [only] = this.#chunks;
    if (only !== undefined && this.#chunks.length === 1) return only;
    const all = new Uint8Array(this.#size);
    let at = 0;
    for (const chunk of this.#chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return all;
  }
}

const tooLate = () => new Error('The body did not come in time.');

async function readStream(stream: ReadableStream<Uint8Array>, deadline: AbortSignal): Promise<Uint8Array> {
  const reader = stream.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  deadline.addEventListener('abort', cancel);
  try {
    const chunks = new Chunks();
    for (;;) {
      const { done, value } = await reader.read();
      // A cancelled reader says that it is done.
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

// By events: to leave an async iteration over the request would destroy its socket, and the answer with it.
function readEvents(request: NodeRequest, deadline: AbortSignal): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks = new Chunks();
    const stop = () => {
      request.off('data', onData);
      request.off('end', onEnd);
      request.off('close', onClose);
      deadline.removeEventListener('abort', onLate);
      // What still comes is thrown away, so that the answer gets through.
      request.resume();
    };
    const fail = (error: Error) => {
      stop();
      reject(error);
    };
    const onData = (chunk: unknown) => {
      try {
        chunks.add(chunk);
      } catch (error) {
        fail(error as Error); // add() throws nothing else.
      }
    };
    const onEnd = () => {
      stop();
      resolve(chunks.join());
    };
    const onClose = () => {
      fail(new Error('The connection was closed before the body was whole.'));
    };
    const onLate = () => {
      fail(tooLate());
    };
    request.on('data', onData);
    request.on('end', onEnd);
    request.on('close', onClose);
    // Stays: an error that nobody listens for would end the process.
    request.on('error', onClose);
    deadline.addEventListener('abort', onLate);
    // Something may have paused it before.
    request.resume();
  });
}
