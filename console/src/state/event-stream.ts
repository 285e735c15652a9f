/** Receives the events of the emulator. */
export interface StreamListener {
  /** Called when the stream works. If the stream is new, earlier changes may be missing. */
  readonly onOpen: (isNew: boolean) => void;
  /** Called when the stream broke. It reopens automatically. */
  readonly onError: () => void;
  readonly onEvent: (name: string, data: string) => void;
}

/** The messages between the tabs. A tab that begins to listen sends `joined`; the tab with the stream sends the rest. */
type TabMessage =
  | { readonly type: 'joined' | 'open' | 'opened' | 'broken' }
  | { readonly type: 'event'; readonly name: string; readonly data: string };

/** The name of the lock and of the channel. Both belong to one server. */
const sharedName = 'emulator-events';

/** A stream that the browser gave up is opened again after this time. */
const reopenMs = 3_000;

/**
 * Listens to the named events until the returned function is called. All tabs of a browser share one stream: browsers
 * open at most six connections to one server, and six streams would leave none for requests.
 */
export function listenToEvents(names: readonly string[], listener: StreamListener): () => void {
  const leaving = new AbortController();
  const { signal } = leaving;
  const receive = (message: TabMessage) => {
    if (message.type === 'event') listener.onEvent(message.name, message.data);
    else if (message.type === 'broken') listener.onError();
    else if (message.type !== 'joined') listener.onOpen(message.type === 'opened');
  };
  // A page from another computer has no locks without TLS: there, each tab has its own stream.
  if ('locks' in navigator) shareStream(names, signal, receive);
  else openStream(names, signal, receive);
  return () => {
    leaving.abort();
  };
}

/** The tab that holds the lock has the stream, and sends its events to the others. When it leaves, another has it. */
function shareStream(names: readonly string[], leaving: AbortSignal, receive: (message: TabMessage) => void): void {
  const channel = new BroadcastChannel(sharedName);
  leaving.addEventListener('abort', () => {
    channel.close();
  });
  const send = (message: TabMessage) => {
    channel.postMessage(message);
  };
  let isOpen: () => boolean = () => false;
  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data.type !== 'joined') receive(data);
    else if (isOpen()) send({ type: 'open' });
  });
  send({ type: 'joined' });
  const hold = () =>
    new Promise<void>((release) => {
      leaving.addEventListener('abort', () => {
        release();
      });
      if (leaving.aborted) release();
      else
        isOpen = openStream(names, leaving, (message) => {
          receive(message);
          send(message);
        });
    });
  navigator.locks.request(sharedName, { signal: leaving }, hold).catch(() => {
    // The tab left before it got the lock.
  });
}

/** Opens a stream until the signal aborts. Returns whether it is open. */
function openStream(
  names: readonly string[],
  leaving: AbortSignal,
  receive: (message: TabMessage) => void,
): () => boolean {
  let source: EventSource;
  const open = () => {
    if (leaving.aborted) return;
    source = new EventSource('./_emulator/events');
    source.addEventListener('open', () => {
      receive({ type: 'opened' });
    });
    source.addEventListener('error', () => {
      receive({ type: 'broken' });
      if (source.readyState === EventSource.CLOSED) setTimeout(open, reopenMs);
    });
    for (const name of names)
      source.addEventListener(name, ({ data }: MessageEvent<string>) => {
        receive({ type: 'event', name, data });
      });
  };
  open();
  leaving.addEventListener('abort', () => {
    source.close();
  });
  return () => source.readyState === EventSource.OPEN;
}
