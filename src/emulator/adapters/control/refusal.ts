export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: 400 | 403 | 404 | 405;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: Refusal['status'], message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}
