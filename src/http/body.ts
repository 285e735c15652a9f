/** What could be read of a body. */
export interface ReadBody {
  readonly text: string;
  /** The body is larger than allowed. The rest was not read. */
  readonly tooLarge: boolean;
}

/**
 * Reads a body as UTF-8 text, counting its bytes while it streams, so that a compressed bomb does no harm. A byte-order
 * mark is dropped. An abort lets go of the body also where its `fetch` doesn't listen to the signal.
 */
export async function readBody(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
  onChunk: (text: string) => void,
): Promise<ReadBody> {
  // The type says there is always a body or null; polyfills of fetch leave it out.
  const body = response.body as Response['body'] | undefined;
  if (body === undefined) {
    const text = await response.text();
    return { text, tooLarge: text.length > maxBytes };
  }
  if (body === null) return { text: '', tooLarge: false };
  const reader = body.getReader();
  // Never awaited: a server that goes on sending may keep it from settling.
  const letGo = () => {
    reader.cancel().catch(() => undefined);
  };
  signal.addEventListener('abort', letGo, { once: true });
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    signal.throwIfAborted();
    if (done) return { text: text + decoder.decode(), tooLarge: false };
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      letGo();
      return { text, tooLarge: true };
    }
    text += decoder.decode(value, { stream: true });
    onChunk(text);
  }
}

/** Lets go of a body that will not be read, so that its socket is freed. */
export function discardBody(response: Response): void {
  response.body?.cancel().catch(() => undefined);
}
