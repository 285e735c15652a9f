/** The interfaces between the parts of the simulator. The parts import only this file, and the world connects them. */
import type { SocialPublishing } from '../../src/client.js';
import type { Emulator } from '../../src/emulator/emulator.js';
import type { Exchange } from '../../src/emulator/http/request-record.js';
import type { Intent } from '../../src/publisher/intents/intent-record.js';
import type { Once } from '../../src/publisher/once.js';
import type { Publisher } from '../../src/publisher/publisher.js';
import type { DurableStore } from '../../src/stores/store.js';
import type { RunningInbox, WebhookInbox } from '../../src/webhooks/inbox/inbox.js';
import type { WebhookReceiver } from '../../src/webhooks/receive/http-handler.js';
import type { InboxEvent } from '../../src/webhooks/inbox/inbox-record.js';
import type { Choices } from './explore/choices.js';
import type { Plan } from './plan.js';
import type { Random } from './random.js';
import type { JsRuntime } from './runtimes.js';
import type { Secrets } from './secrets.js';
import type { Scheduler, SimulatedActor } from './scheduler.js';
import type { Fault, FaultName } from './steps.js';

/** The memory of a running process. */
export interface Memory {
  readonly client: SocialPublishing;
  /** Aborts the current requests of the publisher and of users. */
  abort: AbortController;
  readonly publisher: Publisher;
  readonly inbox: WebhookInbox;
  /** Receives events in place of the inbox. */
  readonly receiver: WebhookReceiver | undefined;
  readonly once: Once;
  /** The worker that handles the events of the inbox. */
  worker: RunningInbox;
}

export interface Process extends SimulatedActor {
  readonly index: number;
  /** The scope of its publisher. */
  readonly scope: string | undefined;
  readonly runtime: JsRuntime;
  readonly isUp: boolean;
  readonly memory: Memory;
  /** Running timers. */
  readonly timers: ReadonlySet<object>;
  /** Whether the process crashes at this call. */
  crashesAt(name: string): boolean;
  /** Ends all work of the process. It starts again after a moment. */
  crash(where: string): void;
}

/** A request of a process, as the laws see it. */
export interface Sent {
  readonly machine: Process;
  readonly life: number;
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  /** The content of a create. */
  readonly content: string | undefined;
  readonly at: number;
  /** How often the service executed it. */
  executed: number;
  /** It can still arrive at the service. */
  isUnderWay: boolean;
  /** The process no longer waits for its reply. */
  isLeft: boolean;
  /** The process learned that the service did not execute it. */
  isRefused: boolean;
}

/** One call of a handler. */
export interface HandlerRun {
  readonly eventId: string;
  readonly machine: Process;
  readonly life: number;
  readonly at: number;
  readonly isRecovered: boolean;
  /** The post and its final state, if the event shows one. */
  readonly final: string | undefined;
  state: 'running' | 'completed' | 'failed';
}

export interface StoreWrite {
  readonly key: string;
  readonly data: string | null;
  readonly wakeAt: number | null;
}

export interface Violation {
  readonly law: string;
  readonly text: string;
}

export type Break = (law: string, text: string) => void;

/** The reports of the parts to the laws. */
export interface Witness {
  written(machine: Process, write: StoreWrite): void;
  sends(machine: Process, request: Pick<Sent, 'method' | 'path' | 'body'>): Sent;
  executed(sent: Sent, postId: string): void;
  /** The runtime of the process sends a request again. */
  repeated(sent: Sent): void;
  /** The process got a reply or an error for a request. */
  ended(sent: Sent): void;
  answered(sent: Sent, status: number, headers: Readonly<Record<string, string>>): void;
  /** A whole reply of a call that succeeded. */
  showedTime(sent: Sent, headers: Readonly<Record<string, string>>): void;
  movedToDoubt(intent: Intent): void;
  handlerStarts(machine: Process, event: InboxEvent): HandlerRun;
  emitted(body: string): void;
  acknowledged(eventId: string, status: number): void;
  crashed(machine: Process): void;
  /** A process logs an error, or a call rejects with it. */
  reported(error: unknown): void;
}

/** What goes wrong. */
export interface Faults {
  /**
   * Returns the first of some faults that strikes now.
   * @param name identifies the call that it would strike
   * @param process the process that makes the call. Faults of a service and of a store hit all processes
   */
  strikes(kinds: readonly FaultName[], name: string, process?: number): Fault | undefined;
  /** The details of a call. */
  of(name: string): Random;
  /** Whether the history has a fault of these kinds. */
  has(...kinds: readonly FaultName[]): boolean;
}

/** The service, as processes and users reach it. */
export interface Service {
  readonly emulator: Emulator;
  /** Milliseconds since 1970, by the clock of the service. */
  now(): number;
  handle(url: URL, init: RequestInit, sent: Sent): Promise<Exchange>;
}

/** The world around the processes. */
export interface Surroundings extends SimulatedActor {
  readonly plan: Plan;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  /** `undefined`: a random history. */
  readonly choices: Choices | undefined;
  readonly store: DurableStore;
  readonly inboxStore: DurableStore;
  /** The URL of the service. */
  readonly baseUrl: string;
  /** The service, and the scope of an intent, whose publisher wrote an intent or a claim, by key of the store. */
  readonly writers: Map<string, string>;
  readonly secrets: Secrets;
  readonly laws: Witness;
  readonly service: Service;
  readonly machines: readonly Process[];
  /** All clocks show about the same time and no process is paused, so leases are reliable. */
  readonly hasGoodClocks: boolean;
  /** Clocks can be wrong, but no clock is stepped, and no mark is late. */
  readonly hasSteadyClocks: boolean;
  /** A clock is wrong by more than a day. */
  readonly hasFarClock: boolean;
  /** No process is paused, and no store is slow. */
  readonly isPunctual: boolean;
}
