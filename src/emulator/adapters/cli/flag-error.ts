export class FlagError extends Error {
  override readonly name = 'FlagError';
}
