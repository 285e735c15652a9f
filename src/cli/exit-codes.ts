export const exitCodes = {
  /** It succeeded: accepted, published, or saved as a draft. */
  success: 0,
  /** It failed. It is safe to repeat once the cause is fixed. */
  failure: 1,
  /** Wrong arguments, settings or input. Nothing was sent. */
  usage: 2,
  /** The service rejected it, or the post is final with failed targets. */
  rejected: 3,
  /** The outcome is unknown. Do not repeat it. */
  inDoubt: 4,
  /** A question was declined or could not be answered. Nothing was sent. */
  notConfirmed: 5,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
