/**
 * Calls the emulator's control API: clock, faults, traffic and seeds. Only this file calls it. Calls of the service go
 * through the client.
 */

/** A refusal of the control API, with its message. */
export class WorkbenchError extends Error {
  override readonly name = 'WorkbenchError';
}

export const noAnswer =
  'The emulator does not answer. Start it again, for example with “npx social-publishing emulator”.';
/** A proxy or another server may answer in place of the emulator. */
export const notEmulator =
  'Another program answers instead of the emulator. Check the address of the page and the proxy.';

/** No reply came. */
export class NoAnswerError extends WorkbenchError {
  constructor() {
    super(noAnswer);
  }
}

const unsure = 'It may have made the change: check this before you try again.';

type Fields = Readonly<Record<string, unknown>>;

/** A read without an answer ends. An action may take longer: it executes all due events. */
const readMs = 20_000;

async function call<Reply>(method: string, path: string, body?: unknown): Promise<Reply> {
  const response = await fetch(`./_emulator/${path}`, {
    method,
    ...(method === 'GET' ? { signal: AbortSignal.timeout(readMs) } : {}),
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  }).catch(() => {
    throw new NoAnswerError();
  });
  const text = await response.text().catch(() => {
    throw new WorkbenchError(`The reply of the emulator was cut off. ${method === 'GET' ? 'Try again.' : unsure}`);
  });
  const reply = parsed(text);
  if (!response.ok)
    throw new WorkbenchError(
      messageOf(reply) ?? `The reply has status ${response.status}. Try again, or start the emulator again.`,
    );
  if (typeof reply !== 'object' || reply === null || Array.isArray(reply)) throw new WorkbenchError(notEmulator);
  // The control API is of the same package and version as this page.
  return reply as Reply;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
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
