import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const docs = read('docs/webhooks.md');

describe('docs/webhooks.md', () => {
  it.each(['node-http', 'express', 'fastify', 'hono', 'next', 'workers', 'lambda'])(
    'shows the example %s unchanged',
    (name) => {
      const [, code] = /\/\/ docs: start\n([\s\S]*?)\/\/ docs: end/.exec(read(`examples/receivers/${name}.ts`)) ?? [];
      expect(docs).toContain(`\`\`\`typescript\n${String(code)}\`\`\``);
      expect(docs).toContain(`](../examples/receivers/${name}.ts)`);
    },
  );
});
