/** What could be read of a body. */
export interface ReadBody {
  readonly text: string;
  /** The body is larger than allowed. The rest was not read. */
  readonly tooLarge: boolean;
}

/**
 * Reads a body as UTF-8 text, counting its bytes while it streams, so that a compressed bomb does no harm. A byte-order
 * mark is dropped. An abort lets go of the body also where its `fetch` doesn't listen to the signal. Where the body breaks
 * off, `onBroken` is told what came before.
 */
export async function readBody(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
  onBroken: (partial: string) => void,
): Promise<ReadBody> {
  // The type says that a body is a web stream or null. Some replacements of fetch leave it out or give a stream of Node.
  const body = response.body as Partial<ReadableStream<Uint8Array>> | null | undefined;
  if (body === null) return { text: '', tooLarge: false };
  if (typeof body?.getReader !== 'function') {
    const text = await response.text();
    return { text, tooLarge: text.length > maxBytes };
  }
  const reader = body.getReader();
  // Never awaited: a server that goes on sending may keep it from settling.
  const letGo = () => {
    reader.cancel().catch(() => undefined);
  };
  signal.addEventListener('abort', letGo, { once: true });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return { text: decode(chunks, bytes, false), tooLarge: false };
      if (bytes + value.byteLength > maxBytes) {
        letGo();
        return { text: decode(chunks, bytes, true), tooLarge: true };
      }
      bytes += value.byteLength;
      chunks.push(value);
    }
  } catch (error) {
    onBroken(decode(chunks, bytes, true));
    throw error;
  }
}

/** Decodes all chunks in one go. Of a body that was `cut`, a letter that is not whole is left out. */
function decode(chunks: readonly Uint8Array[], bytes: number, cut: boolean): string {
  const [first, second] = chunks;
  let whole = first;
  if (second !== undefined) {
    whole = new Uint8Array(bytes);
    let at = 0;
    for (const chunk of chunks) {
      whole.set(chunk, at);
      at += chunk.byteLength;
    }
  }
  if (cut) return new TextDecoder().decode(whole, { stream: true });
  decoder ??= new TextDecoder();
  return decoder.decode(whole);
}

/** Between whole texts it keeps nothing. */
let decoder: TextDecoder | undefined;
