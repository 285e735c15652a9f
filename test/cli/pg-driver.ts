/** A driver in place of `pg`, for a Postgres that has no table. */
export class Pool {
  static readonly statements: string[] = [];

  on(): void {}

  end(): Promise<void> {
    return Promise.resolve();
  }

  query({ text }: { text: string }): Promise<{ rows: string[][] }> {
    Pool.statements.push(text);
    const error = { severity: 'ERROR', code: '42P01' };
    if (text.includes('FROM "social_publishing"'))
      return Promise.reject(Object.assign(new Error('relation "social_publishing" does not exist'), error));
    return Promise.resolve({ rows: text.includes('server_encoding') ? [['160000', 'UTF8', 'on', 'on', '']] : [] });
  }
}
