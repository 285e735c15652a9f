/** Returns a segment of a path, decoded. */
export function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // An incomplete percent encoding.
  }
}
