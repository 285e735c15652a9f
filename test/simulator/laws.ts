/** The laws that every history must keep. The parts hold them; this class asks each part. */
import type { Intent } from '../../src/publisher/intents/intent-record.js';
import type { InboxEvent } from '../../src/webhooks/inbox/inbox-record.js';
import { EventLaws } from './event-laws.js';
import { IntentLaws, isIntent } from './intent-laws.js';
import type { HandlerRun, Process, Sent, StoreWrite, Surroundings, Violation, Witness } from './parts.js';
import { allSecrets } from './secrets.js';
import { SendLaws } from './send-laws.js';

export class Laws implements Witness {
  /** The first violation. Later ones do not matter. */
  violation: Violation | undefined;
  readonly intents: IntentLaws;
  readonly sendLaws: SendLaws;
  readonly events: EventLaws;
  readonly #world: Surroundings;

  constructor(world: Surroundings) {
    this.#world = world;
    const breaks = (law: string, text: string) => {
      this.break(law, text);
    };
    this.sendLaws = new SendLaws(world, breaks);
    this.intents = new IntentLaws(world, this.sendLaws, breaks);
    this.events = new EventLaws(world, breaks);
  }

  break(law: string, text: string): void {
    this.violation ??= { law, text };
  }

  written(machine: Process, write: StoreWrite): void {
    this.#checkSecrets(write.data ?? '', `the item ${write.key}`);
    this.#checkWriter(machine, write);
    if (isIntent.test(write.key)) this.intents.written(machine, write);
    if (write.key.startsWith('inbox/event/')) this.events.written(write);
  }

  /** Publishers of one service write no intent and no claim of another one, and no intent of another scope. */
  #checkWriter({ scope }: Process, { key, data }: StoreWrite): void {
    const isOfIntent = isIntent.test(key);
    if (!isOfIntent && !key.startsWith('post/')) return;
    const { writers, baseUrl } = this.#world;
    const writer = isOfIntent && scope !== undefined ? `${baseUrl}, scope ${scope}` : baseUrl;
    const known = writers.get(key);
    if (known !== undefined && known !== writer)
      this.break('services and scopes do not meet', `a publisher of ${writer} wrote ${key}, which ${known} has`);
    if (data === null) writers.delete(key);
    else writers.set(key, writer);
  }

  sends(machine: Process, request: Pick<Sent, 'method' | 'path' | 'body'>): Sent {
    return this.sendLaws.sends(machine, request);
  }

  executed(sent: Sent, postId: string): void {
    this.sendLaws.executed(sent, postId);
  }

  repeated(sent: Sent): void {
    this.sendLaws.repeated(sent);
  }

  ended(sent: Sent): void {
    this.sendLaws.ended(sent);
  }

  answered(sent: Sent, status: number, headers: Readonly<Record<string, string>>): void {
    this.sendLaws.answered(sent, status, headers);
  }

  showedTime(sent: Sent, headers: Readonly<Record<string, string>>): void {
    this.sendLaws.showedTime(sent, headers);
  }

  movedToDoubt(intent: Intent): void {
    if (intent.state !== 'in_doubt')
      this.break('onInDoubt', `onInDoubt received ${intent.key}, which is ${intent.state}`);
  }

  handlerStarts(machine: Process, event: InboxEvent): HandlerRun {
    return this.events.handlerStarts(machine, event);
  }

  acknowledged(eventId: string, status: number): void {
    this.events.acknowledged(eventId, status);
  }

  emitted(body: string): void {
    this.events.emitted(body);
  }

  crashed(machine: Process): void {
    this.events.crashed(machine);
  }

  /** A process logs an error, or a call rejects with it. */
  reported(error: unknown): void {
    this.#checkSecrets(textOf(error, 0), 'an error');
  }

  #checkSecrets(text: string, where: string): void {
    for (const secret of allSecrets) {
      if (text.includes(secret)) this.break('no secret is shown', `${where} contains a secret`);
    }
  }

  async atRest(): Promise<void> {
    await this.intents.atRest();
    this.events.atRest();
    for (const machine of this.#world.machines) {
      if (machine.timers.size > 2) {
        this.break('nothing is left behind', `${machine.name} has ${String(machine.timers.size)} timers at rest`);
      }
    }
  }
}

function textOf(error: unknown, depth: number): string {
  if (typeof error !== 'object' || error === null || depth > 4) return String(error);
  const { message = '', stack = '', cause, errors } = error as Partial<AggregateError> & { cause?: unknown };
  const own = Object.entries(error).map(([name, value]) => `${name}=${typeof value === 'string' ? value : ''}`);
  const inner = [cause, ...(Array.isArray(errors) ? (errors as unknown[]) : [])].filter((one) => one !== undefined);
  return [message, stack, ...own, ...inner.map((one) => textOf(one, depth + 1))].join('\n');
}
