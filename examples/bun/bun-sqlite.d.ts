/** The part of `bun:sqlite` that the example uses. In your project, `@types/bun` has all of it. */
declare module 'bun:sqlite' {
  export class Database {
    constructor(path: string);
    exec(sql: string): void;
    prepare(sql: string): { all(...parameters: (string | number | null)[]): unknown[] };
    close(): void;
  }
}
