export interface Gate {
  /** Resolves once `open` is called. */
  readonly opened: Promise<void>;
  readonly open: () => void;
}

export function newGate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return {
    opened,
    open: () => {
      open();
    },
  };
}
