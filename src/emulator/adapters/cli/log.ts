import type { RequestLine } from '../node.js';

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function time(): string {
  return new Date().toTimeString().slice(0, 8);
}

export function logRequest({ method, path, result, ms }: RequestLine): void {
  print(`${time()}  ${method.padEnd(6)} ${path}  ${String(result)}  ${ms.toFixed(0)} ms`);
}

/** Delivers over the network and logs the result. */
export async function deliverAndLog(request: Request): Promise<Response> {
  const what = `${time()}  event  ${request.headers.get('X-Service-Event-Type') ?? ''} to ${new URL(request.url).origin}`;
  try {
    const response = await fetch(request);
    print(`${what}  ${String(response.status)}`);
    return response;
  } catch (error) {
    print(`${what}  no reply`);
    throw error;
  }
}
