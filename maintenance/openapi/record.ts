import { appendFileSync } from 'node:fs';

/** A request as it was sent, one line of JSON each. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const path = process.env['REQUESTS_FILE'];
const { fetch } = globalThis;

globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const body = await request.clone().text();
  const response = await fetch(request);
  const { pathname, search } = new URL(request.url);
  // The tests use a base path for the service.
  const start = pathname.indexOf('/v1/');
  // A mock need not accept a request that the server refused.
  if (path !== undefined && response.ok && start !== -1) {
    const line: RecordedRequest = {
      method: request.method,
      target: pathname.slice(start) + search,
      headers: Object.fromEntries(request.headers),
      body,
    };
    appendFileSync(path, `${JSON.stringify(line)}\n`);
  }
  return response;
};
