/** Larger counts are cut. */
const mostShown = 999;

/** Returns a count for a place that has room for three digits. */
export const shortCount = (count: number): string => (count > mostShown ? `${mostShown}+` : String(count));
