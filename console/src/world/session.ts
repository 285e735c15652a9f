import { signal } from '@preact/signals';
import { SocialPublishing } from 'social-publishing';
import { createPublisher, MemoryDurableStore, type Publisher } from 'social-publishing/publisher';

/** Marks the page's own polls: the emulator does not record such requests, and faults do not apply to them. */
const backgroundHeader = { 'x-emulator-background': '1' };

interface ConsoleSession {
  /** The client for a user's actions: they are recorded, and faults apply to them. */
  readonly client: SocialPublishing;
  /** The client for the page's own reads. */
  readonly background: SocialPublishing;
  /** Publishes under a key: the same key again publishes nothing. */
  readonly publisher: Publisher;
}

/** Undefined until the access key is known. */
export const session = signal<ConsoleSession | undefined>(undefined);

/** The parts of another program that the emulator observes. */
export const observed = signal<readonly string[]>([]);

/** The access key of the emulator; `null`: it requires none. Undefined until it is known. */
export const accessKey = signal<string | null | undefined>(undefined);

/** @throws ConfigurationError if the key is invalid */
export function openSession(key: string | null): void {
  const client = new SocialPublishing({
    baseUrl: new URL('.', location.href),
    accessKey: key,
    // The emulator holds no real accounts, and its key opens nothing else.
    dangerouslyAllowBrowser: true,
    allowInsecureHttp: true,
  });
  accessKey.value = key;
  session.value = {
    client,
    background: client.withOptions({ headers: backgroundHeader }),
    publisher: createPublisher({ client, store: new MemoryDurableStore() }),
  };
}

function current(): ConsoleSession {
  const { value } = session;
  if (value === undefined) throw new Error('The access key is not known yet.');
  return value;
}

/** Returns the client for a user's actions. */
export const client = (): SocialPublishing => current().client;

export const publisher = (): Publisher => current().publisher;

/** Returns the client for the page's own reads. */
export const background = (): SocialPublishing => current().background;
