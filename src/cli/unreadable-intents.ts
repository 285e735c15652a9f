import {
  ForeignDataError,
  type Intent,
  type IntentState,
  type ListIntentsQuery,
  type Publisher,
} from '../publisher/index.js';
import { CommandError } from './command-errors.js';
import { exitCodes, type ExitCode } from './exit-codes.js';
import { messageOf, reportError } from './report-error.js';
import type { Session } from './session.js';

/** Lists intents. Items that this version cannot read do not end the list, and are reported after the work. */
export class IntentLists {
  readonly #publisher: Publisher;
  readonly #unreadable = new Set<string>();

  constructor(publisher: Publisher) {
    this.#publisher = publisher;
  }

  async *list(query?: ListIntentsQuery): AsyncGenerator<Intent, void, undefined> {
    try {
      yield* this.#publisher.list(query);
    } catch (error) {
      if (!(error instanceof ForeignDataError)) throw error;
      this.#unreadable.add(messageOf(error));
    }
  }

  /** What is wrong with the items that no list could read. */
  get unreadable(): ReadonlySet<string> {
    return this.#unreadable;
  }

  /** Counts the intents in some states. */
  async count(states: readonly IntentState[]): Promise<number> {
    let count = 0;
    for (const state of states) for await (const _ of this.list({ state })) count += 1;
    return count;
  }

  /** Writes the items that no list could read to stderr. Returns the exit code of the command. */
  report(session: Session, exitCode: ExitCode): ExitCode {
    for (const message of this.#unreadable) reportError(session, new CommandError(message));
    return exitCode === exitCodes.success && this.#unreadable.size > 0 ? exitCodes.failure : exitCode;
  }
}
