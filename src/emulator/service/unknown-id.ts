/** Something was asked for by an ID that nothing has. */
export class UnknownIdError extends RangeError {
  override readonly name = 'UnknownIdError';
}
