/**
 * What the page asks of the emulator beside the service's own API: its clock, faults, traffic and seeds. All of it goes
 * through this file. What the service itself offers goes through the client.
 */

/** A refusal of the control API, in its own words. */
export class WorkbenchError extends Error {
  override readonly name = 'WorkbenchError';
}

type Fields = Readonly<Record<string, unknown>>;

async function call<Reply>(method: string, path: string, body?: unknown): Promise<Reply> {
  const response = await fetch(`./_emulator/${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  const reply: unknown = text === '' ? undefined : parsed(text);
  if (!response.ok) throw new WorkbenchError(messageOf(reply) ?? `The emulator answered ${response.status}.`);
  // The control API is of the same package and version as this page.
  return reply as Reply;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new WorkbenchError('The emulator answered with something that is no JSON.');
  }
}

function messageOf(reply: unknown): string | undefined {
  const { message, error } = (typeof reply === 'object' && reply !== null ? reply : {}) as Fields;
  if (typeof message === 'string') return message;
  return typeof error === 'string' ? error : undefined;
}

export const get = <Reply>(path: string) => call<Reply>('GET', path);
export const post = <Reply>(path: string, body: unknown = {}) => call<Reply>('POST', path, body);
export const remove = <Reply>(path: string) => call<Reply>('DELETE', path);
