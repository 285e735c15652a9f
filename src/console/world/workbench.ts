/**
 * Calls the emulator's control API: clock, faults, traffic and seeds. Only this file calls it. Calls of the service go
 * through the client.
 */

/** A refusal of the control API, with its message. */
export class WorkbenchError extends Error {
  override readonly name = 'WorkbenchError';
}

export const noAnswer = 'The emulator does not answer. Start it again.';

/** No reply came. */
export class NoAnswerError extends WorkbenchError {
  constructor() {
    super(noAnswer);
  }
}

type Fields = Readonly<Record<string, unknown>>;

async function call<Reply>(method: string, path: string, body?: unknown): Promise<Reply> {
  const response = await fetch(`./_emulator/${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  }).catch(() => {
    throw new NoAnswerError();
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
    throw new WorkbenchError("The emulator's reply is not JSON.");
  }
}

function messageOf(reply: unknown): string | undefined {
  // Its fields are checked below.
  const { message, error } = (typeof reply === 'object' && reply !== null ? reply : {}) as Fields;
  if (typeof message === 'string') return message;
  return typeof error === 'string' ? error : undefined;
}

export const get = <Reply>(path: string) => call<Reply>('GET', path);
export const post = <Reply>(path: string, body: unknown = {}) => call<Reply>('POST', path, body);
export const put = <Reply>(path: string, body: unknown) => call<Reply>('PUT', path, body);
export const remove = <Reply>(path: string) => call<Reply>('DELETE', path);
