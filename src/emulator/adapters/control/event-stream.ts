import type { Emulator } from '../../emulator.js';
import type { EmulatorChange } from '../../state/changes.js';
import { shownRequest } from '../../state/traffic.js';
import { shownClock } from './clock-routes.js';

/** A comment at this interval keeps the connection open, and shows both sides that it works. */
const heartbeatMs = 15_000;

/** A reader that is this number of bytes behind is disconnected: it reconnects, and reads everything again. */
const mostBehind = 4 * 1024 * 1024;

/** Changes as server-sent events, with a way to end them. */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  /** The stream calls it once, when either side ends it. */
  onEnd: () => void = () => undefined;
  #end: () => void = () => undefined;

  constructor(service: Emulator) {
    const encoder = new TextEncoder();
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const send = (text: string) => {
            if ((controller.desiredSize ?? 0) < -mostBehind) this.close();
            else controller.enqueue(encoder.encode(text));
          };
          const stop = service.observe((change) => {
            send(eventOf(service, change));
          });
          const heartbeat = setInterval(() => {
            send(': heartbeat\n\n');
          }, heartbeatMs);
          // In Node, a heartbeat must not keep the process alive.
          (heartbeat as { unref?: () => void }).unref?.();
          let open = true;
          this.#end = () => {
            if (!open) return;
            open = false;
            stop();
            clearInterval(heartbeat);
            this.onEnd();
            controller.close();
          };
          // A reader sees at once that it is connected.
          send(`retry: 1000\n\n${eventOf(service, { type: 'clock' })}`);
        },
        cancel: () => {
          // Its controller is already closed.
          this.#cancelled();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
    );
  }

  close(): void {
    this.#end();
  }

  #cancelled(): void {
    try {
      this.#end();
    } catch {
      // `close` of a stream that was cancelled throws; the observer and the heartbeat are gone before it.
    }
  }
}

export function eventStream(service: Emulator): EventStream {
  return new EventStream(service);
}

function eventOf(service: Emulator, change: EmulatorChange): string {
  return `event: ${change.type}\ndata: ${JSON.stringify(dataOf(service, change))}\n\n`;
}

function dataOf(service: Emulator, change: EmulatorChange): unknown {
  switch (change.type) {
    case 'request':
      return shownRequest(change.request);
    case 'delivery':
      return change.delivery;
    case 'post':
      return change.post;
    case 'clock':
      return shownClock(service);
    case 'scenario':
      return { problems: change.problems };
    case 'state':
      return { what: change.what };
  }
}
