/** The emulator's stream of changes. The command opens it only at loopback addresses. */
export interface EmulatorEvents {
  /** Whether the service is the emulator. */
  readonly isThere: Promise<boolean>;
  readonly onChange: (listener: () => void) => void;
}

const pauseMs = 1000;

/** Returns whether the service is on this computer, so that it may be the emulator. */
export function isLocal(baseUrl: string): boolean {
  return /^(?:127\.|localhost$|\[::1\]$)/.test(new URL(baseUrl).hostname);
}

/** Reads the stream until the signal aborts. Opens a stream again when it ends. */
export function watchEmulator(baseUrl: string, signal: AbortSignal): EmulatorEvents {
  let listener: () => void = () => undefined;
  const onChange = (next: () => void) => {
    listener = next;
  };
  if (!isLocal(baseUrl)) return { isThere: Promise.resolve(false), onChange };
  const open = () => openStream(`${new URL(baseUrl).origin}/_emulator/events`, signal);
  const isThere = open().then((first) => {
    if (first === undefined) return false;
    void follow(first, {
      open,
      signal,
      onText: () => {
        listener();
      },
    });
    return true;
  });
  return { isThere, onChange };
}

async function openStream(url: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | undefined> {
  try {
    const response = await fetch(url, { signal, headers: { accept: 'text/event-stream' } });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (response.ok && isStream && response.body !== null) return response.body;
    await response.body?.cancel();
    return undefined;
  } catch {
    return undefined;
  }
}

async function follow(
  first: ReadableStream<Uint8Array>,
  {
    open,
    signal,
    onText,
  }: {
    readonly open: () => Promise<ReadableStream<Uint8Array> | undefined>;
    readonly signal: AbortSignal;
    readonly onText: () => void;
  },
): Promise<void> {
  let stream: ReadableStream<Uint8Array> | undefined = first;
  const isStopped = () => signal.aborted;
  while (!isStopped()) {
    await readAll(stream, onText).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
    if (!isStopped()) stream = await open();
  }
}

/** Only changes of posts matter. This command's own requests are changes too. They must not cause more requests. */
async function readAll(stream: ReadableStream<Uint8Array> | undefined, onText: () => void): Promise<void> {
  if (stream === undefined) return;
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    if (/^event: (?:post|clock|state)$/m.test(decoder.decode(chunk, { stream: true }))) onText();
  }
}
