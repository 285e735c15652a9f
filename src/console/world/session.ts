import { signal } from '@preact/signals';
import { SocialPublishing } from 'social-publishing';
import { createPublisher, MemoryDurableStore, type Publisher } from 'social-publishing/publisher';

/** Requests with this header are the page's own reading: the emulator neither records them nor lets faults hit them. */
const backgroundHeader = { 'x-emulator-background': '1' };

interface ConsoleSession {
  /** What a person does goes through this one: it is recorded, and faults hit it. */
  readonly client: SocialPublishing;
  /** What the page reads by itself. */
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

/** @throws ConfigurationError where the key can't be one */
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

/** The client for what a person does. */
export const client = (): SocialPublishing => current().client;

export const publisher = (): Publisher => current().publisher;

/** The client for what the page reads by itself. */
export const background = (): SocialPublishing => current().background;
