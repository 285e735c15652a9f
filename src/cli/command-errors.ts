import { exitCodes, type ExitCode } from './exit-codes.js';

/** Wrong arguments, settings or input. Nothing was sent. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A question was declined or could not be answered. Nothing was sent. */
export class NotConfirmedError extends Error {
  override readonly name = 'NotConfirmedError';
}

/** A failure with its own exit code, and optionally what to do next. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;
  readonly next: string | undefined;

  constructor(message: string, exitCode: ExitCode = exitCodes.failure, next?: string) {
    super(message);
    this.exitCode = exitCode;
    this.next = next;
  }
}

/** Rows of a table are invalid. Nothing was sent. */
export class RowsError extends UsageError {
  readonly issues: readonly unknown[];

  constructor(message: string, issues: readonly unknown[]) {
    super(message);
    this.issues = issues;
  }
}
