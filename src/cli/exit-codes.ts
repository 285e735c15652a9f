export const exitCodes = {
  /** The command succeeded: the post was accepted, published, or saved as a draft. */
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
