import type { Automation } from 'social-publishing';
import { background } from '../world/session.js';
import { remote } from './remote.js';

export const automations = remote<readonly Automation[]>(
  () => background().automations.list(),
  ['automation', 'comment'],
);
