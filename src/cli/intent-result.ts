import { resolve } from 'node:path';
import type { Intent } from '../publisher/index.js';
import { isLocal } from './emulator-events.js';
import { exitCodes, type ExitCode } from './exit-codes.js';
import { textOf, type Values } from './session.js';

export function intentExitCode({ state, targets }: Intent): ExitCode {
  switch (state) {
    case 'accepted':
    case 'published':
      return exitCodes.success;
    case 'ready':
      return exitCodes.failure;
    case 'sending':
    case 'in_doubt':
      return exitCodes.inDoubt;
    case 'partial':
      // A post with warnings is partial too.
      return targets?.every((target) => target.state === 'published') === true ? exitCodes.success : exitCodes.rejected;
    case 'failed':
    case 'rejected':
    case 'abandoned':
      return exitCodes.rejected;
  }
}

/** The worst exit code of several intents; in doubt is worse than rejected. */
export function worstExitCode(codes: readonly ExitCode[]): ExitCode {
  const order = [exitCodes.inDoubt, exitCodes.rejected, exitCodes.failure];
  return order.find((code) => codes.includes(code)) ?? exitCodes.success;
}

/**
 * Returns what to do with an intent.
 * @param values the options of this command. The commands in the text repeat the options that choose the store
 * @param send how to send a ready intent: by this command, or by a sweep
 */
export function nextStep(
  { state, key, error, attempts }: Intent,
  values: Values,
  send: 'this command' | 'sweep',
): string | undefined {
  const name = quoted(key) + storeOptions(values);
  switch (state) {
    case 'ready': {
      const run = [401, 403].includes(error?.status ?? 0) ? 'Fix the access key, then run' : 'Run';
      const again =
        send === 'sweep' ? `: social-publishing intents sweep${storeOptions(values)}` : ' the same command again.';
      // An operator decided that an earlier send did not arrive.
      if (attempts > 0 && error === undefined)
        return `Before it is sent, the list is searched for its post once more. ${run}${again}`;
      return `Nothing was sent. ${run}${again}`;
    }
    case 'sending':
      // `show` only reads. A sweep finds out whether the process has ended.
      return `Another process is sending it, or has ended. Wait a minute, then run: social-publishing intents sweep${storeOptions(values)}`;
    case 'in_doubt':
      return (
        'Do not publish it under another key. Check the service. If the post exists, run: social-publishing intents ' +
        `resolve ${name} --as published --post-id ID. If it does not, use --as not_sent, and publish again.`
      );
    case 'rejected':
      return (
        'Fix the cause that the message names. If the content stays the same, run: social-publishing intents resolve ' +
        `${name} --as not_sent, and publish again. Other content needs another key.`
      );
    default:
      return undefined;
  }
}

/**
 * A note about a known post, if the service is on this computer: an emulator that starts without its state assigns the
 * same IDs again.
 */
export function emulatorNote({ postId, replayed }: Intent, baseUrl: string | undefined): string | undefined {
  if (postId === undefined || !replayed || baseUrl === undefined || !isLocal(baseUrl)) return undefined;
  return (
    `If this is an emulator that has started again without --state, ${postId} can be another post. Then pass a new ` +
    '--store. With the real service, a new --store publishes again.'
  );
}

/** The options of a command that choose its store. Neither can contain a password: such an option is refused. */
export function storeOptions(values: Values): string {
  const store = textOf(values, 'store');
  // The user may run the next command in another folder.
  const place = store === undefined || store.includes('://') ? store : resolve(store);
  const options = optionsOf({ '--store': place, '--base-url': textOf(values, 'baseUrl') });
  return options === '' ? '' : ` ${options}`;
}

/** Options as a shell reads them, without those that have no value. */
export function optionsOf(options: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(options)
    .flatMap(([option, value]) => (value === undefined ? [] : [`${option} ${quoted(value)}`]))
    .join(' ');
}

function quoted(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
