/**
 * Lets go of a body that will not be read, so that its connection is freed. That of some replacements of fetch is a stream
 * of Node, which has no `cancel`.
 */
export function discardBody({ body }: { readonly body?: unknown }): void {
  letGo(body).catch(() => undefined);
}

async function letGo(body: unknown): Promise<void> {
  const stream = (body ?? {}) as { cancel?: () => Promise<void>; destroy?: () => void };
  if (typeof stream.cancel === 'function') await stream.cancel();
  else if (typeof stream.destroy === 'function') stream.destroy();
}
