/** Calls a callback of the application. Exceptions and rejections are ignored: they must not change the result of a call. */
export async function callSafely(callback: () => unknown): Promise<void> {
  try {
    await callback();
  } catch {
    // Nothing else can be notified.
  }
}
