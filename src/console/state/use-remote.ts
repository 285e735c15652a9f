import { useEffect } from 'preact/hooks';
import type { Remote } from './remote.js';

/** What a remote holds; read when somebody looks at it and whenever they come back, and at news meanwhile. */
export function useRemote<Value>(remote: Remote<Value>): Value | undefined {
  return useRemoteOf(remote, undefined);
}

/** The same for a remote that reads something else for each subject. */
export function useRemoteOf<Value>(remote: Remote<Value>, subject: string | undefined): Value | undefined {
  useEffect(() => remote.watch(), [remote, subject]);
  return remote.value.value;
}
