import type { DurableStore, TransactionOf } from '../stores/store.js';
import { DurablePublisher } from './durable-publisher.js';
import { readOptions, type PublisherOptions } from './options.js';
import type { Publisher } from './publisher.js';
import type { Internals } from './steps.js';

/**
 * Makes a publisher: what it is told to publish is published once, whatever crashes in between.
 *
 * @example
 * ```ts
 * const publisher = createPublisher({ client, store: new MemoryDurableStore() });
 * const intent = await publisher.publish('campaign-42/de', body);
 * ```
 * @throws {@link ConfigurationError} an option can't work
 */
export function createPublisher<Store extends DurableStore>(
  options: PublisherOptions<Store>,
): Publisher<TransactionOf<Store>>;
/** @internal */
export function createPublisher<Store extends DurableStore>(
  options: PublisherOptions<Store>,
  // eslint-disable-next-line @typescript-eslint/unified-signatures -- only the first one is published
  internals?: Internals,
): Publisher<TransactionOf<Store>>;
export function createPublisher(options: PublisherOptions, internals: Internals = {}): Publisher {
  return new DurablePublisher(readOptions(options), internals);
}
