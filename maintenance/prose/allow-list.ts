/** Findings that stay, each with its reason. */
interface Allowed {
  /** The page or the source file. */
  readonly file: string;
  /** A part of the line or of the message that the finding is in. */
  readonly contains: string;
  readonly reason: string;
}

const allowed: readonly Allowed[] = [
  { file: 'stores/redis/settings.ts', contains: 'appendonly is no', reason: '`no` is the value of the setting' },
];

const used = new Set<Allowed>();

export function isAllowed(file: string, text: string): boolean {
  const entry = allowed.find((one) => one.file === file && text.includes(one.contains));
  if (entry !== undefined) used.add(entry);
  return entry !== undefined;
}

/** Entries that no finding needs any more. */
export const unusedEntries = (): readonly Allowed[] => allowed.filter((entry) => !used.has(entry));
