import { onAbort } from '../../../core/flow/abort.js';
import type { Emulator } from '../../emulator.js';
import type { EmulatorChange } from '../../state/changes.js';
import { shownRequest } from '../../state/traffic.js';
import { shownClock } from './clock-routes.js';

/** A comment at this interval keeps the connection open, and shows both sides that it works. */
const heartbeatMs = 15_000;

/** A reader that is this number of bytes behind is disconnected: it reconnects, and reads everything again. */
const mostBehind = 4 * 1024 * 1024;

/** Streams changes as server-sent events, until the reader or the server ends the stream. */
export function eventStream(service: Emulator, ended: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stop: () => void = () => undefined;
  const source: UnderlyingDefaultSource<Uint8Array> = {
    start(controller) {
      const close = () => {
        stop();
        controller.close();
      };
      const send = (text: string) => {
        if ((controller.desiredSize ?? 0) < -mostBehind) close();
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
      const forget = onAbort(ended, close);
      stop = () => {
        stopObserving();
        clearInterval(heartbeat);
        forget();
      };
      // A reader sees at once that it is connected.
      send(`retry: 1000\n\n${eventOf(service, { type: 'clock' })}`);
    },
    cancel: () => {
      stop();
    },
  };
  return new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: 0 }));
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
