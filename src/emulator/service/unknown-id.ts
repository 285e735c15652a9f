export class UnknownIdError extends RangeError {
  override readonly name = 'UnknownIdError';
}
