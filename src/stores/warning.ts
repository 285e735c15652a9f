/** Is told once of a setting of the engine that can't keep the promise, and of what to set. */
export type OnStoreWarning = (message: string) => void;

/** Where warnings go by default: a warning of the process, or the console where there is none. */
export function warnProcess(message: string): void {
  // Read through globalThis: not every runtime has `process`.
  const { process } = globalThis as {
    process?: { emitWarning?: (message: string, options: { type: string; code: string }) => void };
  };
  if (typeof process?.emitWarning === 'function')
    process.emitWarning(message, { type: 'SocialPublishingWarning', code: 'SOCIAL_PUBLISHING_STORE' });
  else console.warn(message);
}
