import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WebhookStore } from '../../src/webhooks/index.js';
import { blocksOf, Workshop } from '../support/docs-blocks.js';
import { describeStore } from './webhook-store-suite.js';

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

describe('the custom store of docs/webhooks.md', () => {
  const workshop = new Workshop('docs-webhooks', []);
  let path = '';

  beforeAll(async () => {
    const block = (await blocksOf('docs/webhooks.md')).find(({ code }) => code.includes('store: WebhookStore ='));
    if (block === undefined) throw new Error('docs/webhooks.md has no custom store.');
    await workshop.fill([block]);
    path = workshop.pathOf(block);
    vi.useFakeTimers({ toFake: ['Date'] });
  });

  afterAll(() => {
    vi.useRealTimers();
  });

  beforeEach(() => {
    vi.resetModules(); // so that each test gets an empty store
  });

  describeStore('is a correct store', async () => {
    const { store } = (await import(/* @vite-ignore */ path)) as { readonly store: WebhookStore };
    return { store, other: store, pass: (ms) => void vi.setSystemTime(Date.now() + ms) };
  });
});
