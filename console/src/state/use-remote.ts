import { useEffect } from 'preact/hooks';
import type { Remote } from './remote.js';

/** Returns the value of a remote. Reads it when a component mounts, and after each change. */
export function useRemote<Value>(remote: Remote<Value>): Value | undefined {
  return useRemoteOf(remote, undefined);
}

/** Does the same for a remote with a subject. */
export function useRemoteOf<Value>(remote: Remote<Value>, subject: string | undefined): Value | undefined {
  useEffect(() => remote.watch(subject), [remote, subject]);
  return remote.value.value;
}
