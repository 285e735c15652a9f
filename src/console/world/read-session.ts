import { accessKey, observed, openSession } from './session.js';
import { get, notEmulator, WorkbenchError } from './workbench.js';

/** Reads the access key of the emulator, and its observed parts. */
export async function readSession(): Promise<void> {
  const reply = await get<{ readonly accessKey: string | null; readonly observed: readonly string[] }>('session');
  if (!Array.isArray(reply.observed)) throw new WorkbenchError(notEmulator);
  observed.value = reply.observed;
  // The session continues, and keeps the keys of its retries.
  if (accessKey.value !== reply.accessKey) openSession(reply.accessKey);
}
