import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const promises = readFileSync('docs/security.md', 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, promise, file, title] = /^\| (.+) \| `(test\/[^`]+)`(?:: (.+))? \|$/.exec(line) ?? [];
    return promise === undefined || file === undefined ? [] : [{ promise, file, title: title ?? '' }];
  });

describe('each promise of docs/security.md is held by a test that is there', () => {
  it.each(promises)('$promise', ({ file, title }) => {
    expect(existsSync(file), `${file} is not there`).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain(title);
  });

  it('and so is every row of its tables', () => {
    const rows = readFileSync('docs/security.md', 'utf8').match(/^\| (?!Promise|---).+\|$/gm) ?? [];
    const byScripts = rows.filter((row) => row.includes('`npm run check:redos --prefix maintenance`'));
    expect(promises.length + byScripts.length).toBe(rows.length);
    expect(promises.length).toBeGreaterThan(15);
  });
});
