import { homedir } from 'node:os';
import { join } from 'node:path';
import type { World } from './world.js';

/** The user's folder for state that outlives a run. */
export function stateFolder({ env }: Pick<World, 'env'>): string {
  const { XDG_STATE_HOME: state, LOCALAPPDATA: local, HOME: home } = env;
  // The specification ignores relative paths.
  if (state !== undefined && state.startsWith('/')) return join(state, 'social-publishing');
  if (process.platform === 'win32' && local !== undefined) return join(local, 'social-publishing');
  return join(home ?? homedir(), '.local', 'state', 'social-publishing');
}
