import { currentProcess } from '../core/runtime.js';

/** Receives a warning once about an engine setting that breaks the store's guarantee, with the setting to use. */
export type OnStoreWarning = (message: string) => void;

/** Writes a warning of the process, or to the console if there is no process. */
export function warnProcess(message: string): void {
  const process = currentProcess();
  if (typeof process?.emitWarning === 'function')
    process.emitWarning(message, { type: 'SocialPublishingWarning', code: 'SOCIAL_PUBLISHING_STORE' });
  else console.warn(message);
}
