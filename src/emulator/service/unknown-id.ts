/** An ID that does not exist. */
export class UnknownIdError extends RangeError {
  override readonly name = 'UnknownIdError';
}
