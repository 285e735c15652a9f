/** Receives a warning once about an engine setting that breaks the store's guarantee, with the setting to use. */
export type OnStoreWarning = (message: string) => void;

/** Writes a warning of the process, or to the console if there is no process. */
export function warnProcess(message: string): void {
  // Read through globalThis: not every runtime has `process`.
  const { process } = globalThis as {
    process?: { emitWarning?: (message: string, options: { type: string; code: string }) => void };
  };
  if (typeof process?.emitWarning === 'function')
    process.emitWarning(message, { type: 'SocialPublishingWarning', code: 'SOCIAL_PUBLISHING_STORE' });
  else console.warn(message);
}
