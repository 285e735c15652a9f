/** A usage error of the command, printed in one line. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
}
