import { type ChangedPart, Observers } from './changes.js';
import { randomHex, latest } from './time.js';
import { emptyState, type State } from './state.js';
import type { Job, JobTask } from './stored-records.js';

/** Holds the state, so that `restore` can replace it. */
export class Store {
  state: State;
  readonly observers = new Observers();
  /** The store calls it after it restored another state, before it notifies observers. */
  onAdopt: () => void = () => undefined;

  constructor(time: number, seed: number) {
    this.state = emptyState(time, seed);
  }

  /** Restores another state. Its deliveries in flight are sent again, because their results are unknown. */
  adopt(state: State): void {
    this.state = state;
    for (const [id, { event, attempt }] of [...state.underWay.entries()]) {
      state.underWay.delete(id);
      this.schedule(state.time, { kind: 'deliver', event, attempt });
    }
    this.onAdopt();
  }

  /** Reports to observers that a part has changed. */
  changed(what: ChangedPart): void {
    this.observers.tell(() => ({ type: 'state', what }));
  }

  /** The next number of a kind, from 1. */
  count(kind: string, { counters }: State = this.state): number {
    const next = (counters[kind] ?? 0) + 1;
    counters[kind] = next;
    return next;
  }

  /** A new ID such as `post_7`: the same in every run. */
  id(kind: string): string {
    return `${kind}_${String(this.count(kind))}`;
  }

  hex(digits: number): string {
    return randomHex(this.state, digits);
  }

  /** Adds a job in order: by time, then by age. */
  schedule(at: number, task: JobTask, state: State = this.state): Job {
    // A delay may end after the latest possible time.
    const job = { at: Math.min(at, latest), order: this.count('job', state), ...task };
    (task.kind === 'deliver' ? state.outgoing : state.jobs).set(job);
    return job;
  }

  /** Cancels a job that is due at a time. Without its order, all jobs of that time are searched. */
  unschedule(isIt: (job: Job) => boolean, at: number, order = 0): void {
    const { jobs } = this.state;
    const before = jobs.countWhile((job) => job.at < at || (job.at === at && job.order < order));
    const end = jobs.countWhile((job) => job.at <= at);
    const job = jobs.slice(before, order === 0 ? end : before + 1).find(isIt);
    if (job !== undefined) jobs.delete(job);
  }
}
