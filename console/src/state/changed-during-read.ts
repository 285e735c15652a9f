/** The IDs that changed while the page reads a list: the list may be older than these changes. */
export interface ChangedDuringRead {
  readonly add: (id: string) => void;
  /** Passes a set to the read that collects changed IDs until the read ends. */
  readonly during: <Value>(read: (changed: ReadonlySet<string>) => Promise<Value>) => Promise<Value>;
}

export function changedDuringRead(): ChangedDuringRead {
  const reads = new Set<Set<string>>();
  return {
    add(id) {
      for (const changed of reads) changed.add(id);
    },
    async during(read) {
      const changed = new Set<string>();
      reads.add(changed);
      try {
        return await read(changed);
      } finally {
        reads.delete(changed);
      }
    },
  };
}
