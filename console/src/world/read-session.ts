import { accessKey, observed, openSession } from './session.js';
import { get, notEmulator, WorkbenchError } from './workbench.js';

interface SessionReply {
  readonly accessKey: string | null;
  readonly observed: readonly string[];
  readonly instance: string;
}

/** The emulator that answered last. */
let instance: string | undefined;

/** Reads the access key of the emulator, and its observed parts. Returns whether the emulator was started again. */
export async function readSession(): Promise<boolean> {
  const reply = await get<SessionReply>('session');
  if (!Array.isArray(reply.observed)) throw new WorkbenchError(notEmulator);
  observed.value = reply.observed;
  // The session continues, and keeps the keys of its retries.
  if (accessKey.value !== reply.accessKey) openSession(reply.accessKey);
  const isOther = instance !== undefined && instance !== reply.instance;
  ({ instance } = reply);
  return isOther;
}
