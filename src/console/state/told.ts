/** Of what the page is told while it reads a list: the list may be older than that. */
export interface ToldMeanwhile {
  readonly tell: (id: string) => void;
  /** Gives the read the IDs that are told until it ends. */
  readonly during: <Value>(read: (told: ReadonlySet<string>) => Promise<Value>) => Promise<Value>;
}

export function toldMeanwhile(): ToldMeanwhile {
  const reads = new Set<Set<string>>();
  return {
    tell(id) {
      for (const told of reads) told.add(id);
    },
    async during(read) {
      const told = new Set<string>();
      reads.add(told);
      try {
        return await read(told);
      } finally {
        reads.delete(told);
      }
    },
  };
}
