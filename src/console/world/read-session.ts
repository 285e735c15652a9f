import { observed, openSession } from './session.js';
import { get } from './workbench.js';

/** Reads the access key of the emulator, and what it observes. */
export async function readSession(): Promise<void> {
  const reply = await get<{ readonly accessKey: string | null; readonly observed: readonly string[] }>('session');
  observed.value = reply.observed;
  openSession(reply.accessKey);
}
