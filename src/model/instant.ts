const dateTime = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?/;
const withoutOffset = new RegExp(`${dateTime.source}$`);

/** Whether a text is a date-time that names a moment wherever it is read. */
export function hasOffset(text: string): boolean {
  return dateTime.test(text) && !withoutOffset.test(text);
}

/**
 * The moment that a date-time of the service names, in milliseconds since 1970; `undefined` where the text is none. One
 * without an offset is taken for UTC: `Date.parse` would take it for the time zone of this machine, of which the service
 * knows nothing.
 */
export function instantOf(text: string | undefined): number | undefined {
  if (text === undefined || !dateTime.test(text)) return undefined;
  const time = Date.parse(withoutOffset.test(text) ? `${text.replace(' ', 'T')}Z` : text);
  return Number.isNaN(time) ? undefined : time;
}
