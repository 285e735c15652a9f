/** Runs blocks of the documents, changed for a test, against the service of `docs-world.ts`. */
import { afterEach, beforeEach, vi } from 'vitest';
import type { Block, Workshop } from './docs-blocks.js';

interface World {
  readonly accessKey: string;
  readonly service: { readonly fetch: typeof fetch };
}

/** In each test, the service answers for api.example.com, and nothing is printed. */
export function serveDocuments(world: World): void {
  beforeEach(() => {
    for (const level of ['log', 'warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => undefined);
    vi.stubEnv('SOCIAL_PUBLISHING_ACCESS_KEY', world.accessKey);
    const real = globalThis.fetch;
    vi.stubGlobal('fetch', (input: string | URL | Request, init?: RequestInit) => {
      const { hostname } = new URL(input instanceof Request ? input.url : input);
      return hostname === 'api.example.com' ? world.service.fetch(input, init) : real(input, init);
    });
  });

  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
  });
}

/** Runs a block with other code, and returns its exports. */
export async function runBlock(
  workshop: Workshop,
  block: Block,
  { name, code }: Pick<Block, 'name' | 'code'>,
): Promise<Record<string, unknown>> {
  const changed = { ...block, name: `${block.name}-${name}`, code };
  await workshop.add(changed);
  return (await import(/* @vite-ignore */ workshop.pathOf(changed))) as Record<string, unknown>;
}
