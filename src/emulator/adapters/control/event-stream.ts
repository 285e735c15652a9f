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
  /** The stream calls it when either side ends it. */
  onEnd: () => void = () => undefined;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #stop: () => void = () => undefined;

  constructor(service: Emulator) {
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
          this.#observe(service, controller);
        },
        cancel: () => {
          this.#stop();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
    );
  }

  close(): void {
    this.#stop();
    this.#controller?.close();
  }

  #observe(service: Emulator, controller: ReadableStreamDefaultController<Uint8Array>): void {
    const encoder = new TextEncoder();
    const send = (text: string) => {
      if ((controller.desiredSize ?? 0) < -mostBehind) this.close();
      else controller.enqueue(encoder.encode(text));
    };
    const stopObserving = service.observe((change) => {
      send(eventOf(service, change));
    });
    const heartbeat = setInterval(() => {
      send(': heartbeat\n\n');
    }, heartbeatMs);
    // In Node, a heartbeat must not keep the process alive.
    (heartbeat as { unref?: () => void }).unref?.();
    this.#stop = () => {
      stopObserving();
      clearInterval(heartbeat);
      this.onEnd();
    };
    // A reader sees at once that it is connected.
    send(`retry: 1000\n\n${eventOf(service, { type: 'clock' })}`);
  }
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
