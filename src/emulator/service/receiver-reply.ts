import { discardBody } from '../../core/discard-body.js';

/** The number of characters of a reply that its record holds. */
const keptOfReply = 4096;
/** The longest wait for the body of a reply, in milliseconds. Its status has already decided the attempt. */
const bodyMs = 1000;

/** Returns the first characters of a receiver's reply, and discards the rest. It never rejects. */
export async function startOfReply(response: { readonly body?: unknown }): Promise<string> {
  const reader = readerOf(response.body);
  if (reader === undefined) {
    discardBody(response);
    return '';
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      resolve(undefined);
    }, bodyMs);
  });
  const decoder = new TextDecoder();
  let text = '';
  try {
    while (text.length < keptOfReply) {
      const part = await Promise.race([reader.read(), late]);
      if (part?.value === undefined) break;
      text += decoder.decode(part.value, { stream: true });
    }
  } catch {
    // A reply that breaks off keeps the part that arrived.
  } finally {
    clearTimeout(timer);
    reader.cancel().catch(() => undefined);
  }
  return text.slice(0, keptOfReply);
}

/** Returns a reader of a web stream of any library. Undefined for other bodies, and for a body that is already used. */
function readerOf(body: unknown): ReadableStreamDefaultReader<Uint8Array> | undefined {
  const stream = (body ?? {}) as Partial<ReadableStream<Uint8Array>>;
  return typeof stream.getReader === 'function' && stream.locked !== true ? stream.getReader() : undefined;
}
