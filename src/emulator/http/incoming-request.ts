export interface IncomingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string;
}

export async function incomingOf(request: Request): Promise<IncomingRequest> {
  const { method, headers } = request;
  return { method, url: new URL(request.url), headers, body: await request.text() };
}
