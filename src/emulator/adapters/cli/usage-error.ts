/** A usage error of the command, printed in one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
