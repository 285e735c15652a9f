/** A note about an outage, which the processes of a service share. See docs/decisions/0072-outages.md. */
import type { ServiceHealth } from '../core/flow/outage.js';
import { change, formatOf, recordsIn, type Records } from '../stores/records.js';
import type { PublisherSettings } from './options.js';

/** It says only that the service is down. */
type OutageNote = Readonly<Record<string, never>>;

const format = formatOf<OutageNote>('format', 1);
const note = { record: {}, wakeAt: null };

/**
 * Whether the service is down. A note in the store shows it to other processes: in a cron job, a process ends after each
 * call. If the store refuses the note, the publisher works without it.
 */
export class NotedHealth implements ServiceHealth {
  isDown = false;
  readonly #notes: Records<OutageNote>;
  readonly #key: string;
  #isNoted = false;
  #read: Promise<void> | undefined;

  constructor({ store, service = '' }: Pick<PublisherSettings, 'store' | 'service'>) {
    this.#notes = recordsIn(store, format);
    this.#key = `publisher/outage/${service}`;
  }

  /** Reads the note before the first create. */
  async read(): Promise<void> {
    await (this.#read ??= this.#notes.read(this.#key).then(
      (note) => {
        this.#isNoted = note !== undefined;
        this.isDown ||= this.#isNoted;
      },
      () => undefined,
    ));
  }

  /** Writes the note when the service goes down, and removes it at the first answer. */
  async note(): Promise<void> {
    const { isDown } = this;
    if (isDown === this.#isNoted) return;
    this.#isNoted = isDown;
    await change(this.#notes, this.#key, (old) => (isDown ? (old === undefined ? note : undefined) : null)).catch(
      () => undefined,
    );
  }
}
