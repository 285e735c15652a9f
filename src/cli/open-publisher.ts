import { createPublisher, ForeignDataError, type Publisher } from '../publisher/index.js';
import { outcomeOf, SocialPublishing, SocialPublishingError } from '../index.js';
import { CommandError, UsageError } from './command-errors.js';
import { connect, findAccessKey, findBaseUrl } from './connection.js';
import { exitCodes } from './exit-codes.js';
import { storeOptions } from './intent-result.js';
import { checkExists, findStore, openStore } from './open-store.js';
import { messageOf } from './report-error.js';
import type { Session, Values } from './session.js';

/** A publisher on the store that the options name. */
export interface OpenPublisher {
  readonly publisher: Publisher;
  readonly client: SocialPublishing;
  /** The store's name, for messages. */
  readonly store: string;
  /** The options that choose the store in another command, with a space before each. */
  readonly storeOptions: string;
  readonly warnings: readonly string[];
}

export interface PublisherNeeds {
  /** Whether the work calls the service. Without calls, no access key is needed. */
  readonly calls: boolean;
  readonly leaseMs?: number;
  /** The work reads or changes only intents that exist: it must not create a store. */
  readonly readsOnly?: boolean;
}

/** Opens the publisher, does the work, and closes the store. */
export async function withPublisher<Result>(
  session: Session,
  values: Values,
  { calls, leaseMs, readsOnly = false }: PublisherNeeds,
  work: (opened: OpenPublisher) => Promise<Result>,
): Promise<Result> {
  const client = calls ? (await connect(session, values)).client : await connectWithoutKey(session, values);
  const place = findStore(session, values);
  if (readsOnly) checkExists(session, place);
  const { store, close } = await openStore(session, place);
  try {
    for (const warning of place.warnings) session.output.note(warning);
    const publisher = createPublisher({
      client,
      store,
      now: session.world.now,
      ...(leaseMs === undefined ? {} : { leaseMs }),
    });
    const { name, warnings } = place;
    return await work({ publisher, client, store: name, storeOptions: storeOptions(values), warnings });
  } catch (error) {
    if (error instanceof ForeignDataError && outcomeOf(error) !== 'unknown')
      throw new CommandError(messageOf(error), exitCodes.failure);
    // The store failed. Then other commands must not be repeated.
    if (error instanceof SocialPublishingError && outcomeOf(error) === 'unknown')
      Object.assign(error, {
        next: `${error instanceof ForeignDataError ? 'Upgrade, then run' : 'Run'} the same command again: it sends nothing twice.`,
      });
    throw error;
  } finally {
    await close();
  }
}

/** The client of work that only reads the store. */
async function connectWithoutKey(session: Session, values: Values): Promise<SocialPublishing> {
  const baseUrl = findBaseUrl(session, values);
  if (baseUrl === undefined) throw new UsageError('The base URL is missing: each base URL has its own store.');
  const accessKey = (await findAccessKey(session, values)) ?? null;
  return new SocialPublishing({ baseUrl, accessKey });
}
