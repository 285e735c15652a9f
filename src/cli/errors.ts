export const exitCodes = {
  /** The command succeeded: the post was accepted, published, or saved as a draft, or waits for its `sendAt`. */
  success: 0,
  /** The command failed. You can repeat it safely after you fix the cause. */
  failure: 1,
  /** Wrong arguments, settings or input. Nothing was sent. */
  usage: 2,
  /** The service rejected the call, or the post is final with failed targets. */
  rejected: 3,
  /** The outcome is unknown. Do not repeat the command. */
  inDoubt: 4,
  /** A question was declined or could not be answered. Nothing was sent. */
  notConfirmed: 5,
  /** Ctrl-C (SIGINT). */
  interrupted: 130,
  /** SIGTERM. */
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Aborts the signal of a command that SIGTERM ends. */
export class Terminated extends DOMException {
  constructor() {
    super('Interrupted.', 'AbortError');
  }
}

/** The exit code of an interrupted command. */
export function interruptedCode({ reason }: AbortSignal): ExitCode {
  return reason instanceof Terminated ? exitCodes.terminated : exitCodes.interrupted;
}

/** A failure with its own exit code, and optionally what to do next. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  readonly exitCode: ExitCode;
  readonly next: string | undefined;

  constructor(message: string, exitCode: ExitCode = exitCodes.failure, next?: string) {
    super(message);
    this.exitCode = exitCode;
    this.next = next;
  }
}

/** Wrong arguments, settings or input. Nothing was sent. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';
  /** The problems of the rows of a table. */
  readonly issues: readonly unknown[] | undefined;

  constructor(message: string, issues?: readonly unknown[]) {
    super(message, exitCodes.usage, issues === undefined ? 'See --help.' : undefined);
    this.issues = issues;
  }
}

/** A question was declined or could not be answered. Nothing was sent. */
export class NotConfirmedError extends CommandError {
  override readonly name = 'NotConfirmedError';

  constructor(message: string) {
    super(message, exitCodes.notConfirmed);
  }
}
