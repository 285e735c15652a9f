/** Returns the reasons of the promises that nothing handled while the work ran. In a program, the first one ends the process. */
export async function unhandledRejectionsOf(work: () => Promise<unknown>): Promise<readonly unknown[]> {
  const reasons: unknown[] = [];
  const note = (reason: unknown) => reasons.push(reason);
  process.on('unhandledRejection', note);
  try {
    await work();
    // Node reports an unhandled rejection after the microtasks of its turn.
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off('unhandledRejection', note);
  }
  return reasons;
}
