/**
 * Discards an unread body, so that its connection is freed. Some replacements of fetch have a Node stream as body,
 * which has no `cancel`.
 */
export function discardBody({ body }: { readonly body?: unknown }): void {
  letGo(body).catch(() => undefined);
}

async function letGo(body: unknown): Promise<void> {
  // Each method is checked before its call.
  const stream = (body ?? {}) as { cancel?: () => Promise<void>; destroy?: () => void };
  if (typeof stream.cancel === 'function') await stream.cancel();
  else if (typeof stream.destroy === 'function') stream.destroy();
}
