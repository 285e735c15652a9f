/** The life of webhook events in the inbox. */
import type { InboxEvent, InboxRecord } from '../../src/webhooks/inbox/inbox-record.js';
import type { Break, HandlerRun, Process, StoreWrite, Surroundings } from './parts.js';

interface KnownEvent {
  readonly id: string;
  readonly state: InboxRecord['state'];
  /** When the last lease of the event was written, by the true time. */
  readonly leasedAt: number;
}

const finalTypes = ['post.published', 'post.partial', 'post.failed'];

export class EventLaws {
  /** Events that an operator is replaying. */
  readonly replaying = new Set<string>();
  readonly #byKey = new Map<string, KnownEvent>();
  readonly #known = new Map<string, string>();
  readonly #runs: HandlerRun[] = [];
  readonly #finals = new Set<string>();
  readonly #world: Surroundings;
  readonly #break: Break;

  constructor(world: Surroundings, breaks: Break) {
    this.#world = world;
    this.#break = breaks;
  }

  emitted(body: string): void {
    const { type, data } = JSON.parse(body) as { type: string; data: { post: { id: string } } };
    if (finalTypes.includes(type)) this.#finals.add(`${data.post.id} ${type}`);
  }

  written({ key, data }: StoreWrite): void {
    const before = this.#byKey.get(key);
    if (data === null) {
      if (before !== undefined && before.state !== 'done') {
        this.#break('no event is lost', `the event ${before.id} was removed while it was ${before.state}`);
      }
      this.#byKey.delete(key);
      return;
    }
    const record = JSON.parse(data) as InboxRecord; // The inbox wrote it.
    const id = before?.id ?? ('id' in record ? record.id : '');
    this.#known.set(id, key);
    const isLease = record.state === 'waiting' && record.owner !== undefined;
    const leasedAt = isLease ? this.#world.scheduler.time : (before?.leasedAt ?? -Infinity);
    this.#byKey.set(key, { id, state: record.state, leasedAt });
    const isForgotten = this.#world.plan.keepMs < 24 * 3_600_000;
    // A handled event can be written as it is, to put it behind the waiting ones.
    if (before?.state === 'done' && record.state !== 'done' && !isForgotten)
      this.#break('a handled event stays handled', `${id} became ${record.state} again`);
    if (before?.state === 'dead' && record.state === 'waiting' && !this.replaying.has(id)) {
      this.#break('a dead event waits for an operator', `${id} is handled again`);
    }
  }

  acknowledged(id: string, status: number): void {
    if (status >= 200 && status < 300 && !this.#known.has(id)) {
      this.#break('only a written event is acknowledged', `${id} was acknowledged and not written`);
    }
  }

  handlerStarts(machine: Process, event: InboxEvent): HandlerRun {
    const { id } = event;
    const { time } = this.#world.scheduler;
    const known = this.#byKey.get(this.#known.get(id) ?? '');
    const isLeased = time - (known?.leasedAt ?? -Infinity) < this.#world.plan.leaseMs;
    if (known?.state !== 'waiting' && isLeased && this.#world.hasGoodClocks) {
      this.#break('a handled event stays handled', `a handler gets ${id}, which is ${known?.state ?? 'not written'}`);
    }
    const run: HandlerRun = {
      ...{ eventId: id, machine, life: machine.life, at: time, isRecovered: event.recovered === true },
      ...{ final: finalOf(event), state: 'running' },
    };
    this.#checkAlone(run);
    this.#runs.push(run);
    return run;
  }

  /** Only one handler at a time has an event. */
  #checkAlone(run: HandlerRun): void {
    if (!this.#world.hasGoodClocks) return;
    const { leaseMs } = this.#world.plan;
    const other = this.#runs.find(
      ({ eventId, state, machine, life, at }) =>
        eventId === run.eventId &&
        state === 'running' &&
        machine.life === life &&
        run.at - at < leaseMs - 2_000 &&
        // A paused process did not see its lease end.
        machine.pausedUntil < at &&
        run.machine.pausedUntil < at,
    );
    if (other !== undefined) {
      this.#break('one handler at a time', `${run.machine.name} handles ${run.eventId} beside ${other.machine.name}`);
    }
  }

  crashed(machine: Process): void {
    for (const run of this.#runs) {
      if (run.machine === machine && run.state === 'running') run.state = 'failed';
    }
  }

  /**
   * Every final state of a post has reached a handler that completed. The clocks of an inbox's processes must agree
   * (docs/webhooks.md): a clock that is far ahead leases events for as long, and forgets handled ones.
   */
  atRest(): void {
    if (this.#world.hasFarClock) return;
    for (const final of this.#finals) {
      const completed = this.#runs.filter((run) => run.final === final && run.state === 'completed');
      if (completed.length === 0) this.#break('every final state is handled', `no handler completed for ${final}`);
      const isRemembered = this.#world.plan.keepMs > 24 * 3_600_000;
      if (
        isRemembered &&
        completed.some(({ isRecovered }) => isRecovered) &&
        completed.some(({ isRecovered }) => !isRecovered)
      ) {
        this.#break('a delivery or a recovered event, never both', `handlers got both for ${final}`);
      }
    }
    for (const { id, state } of this.#byKey.values()) {
      if (state !== 'done') this.#break('every event is handled', `${id} is still ${state} at rest`);
    }
  }
}

function finalOf(event: InboxEvent): string | undefined {
  return event.known && finalTypes.includes(event.type) ? `${event.data.post.id} ${event.type}` : undefined;
}
