import { builtinModules } from 'node:module';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { app, entries } from './support/app.js';

/** The contents of a bundle, and the imports left for the runtime. */
async function bundle(code: string, external: readonly string[] = []) {
  const result = await build({
    stdin: { contents: code, resolveDir: app, sourcefile: 'caller.js' },
    bundle: true,
    minify: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['import'],
    external: ['node:*', ...builtinModules, ...external],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const [output] = Object.values(result.metafile.outputs);
  return {
    text: result.outputFiles[0]?.text ?? '',
    imports: (output?.imports ?? []).map(({ path }) => path),
    // A module that was read and removed again has no bytes.
    inputs: Object.entries(output?.inputs ?? {})
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([path]) => path),
  };
}

/** Strings that occur in the code of only one part, so that they identify it in a bundle. */
const marks = {
  client: 'SOCIAL_PUBLISHING_BASE_URL',
  webhooks: 'x-service-signature',
  emulator: 'reset_after_commit',
  publisher: 'in_doubt',
  otel: 'social_publishing.credits',
  preflight: 'media_missing',
};

describe('the marks that the other tests search for', () => {
  it.each([
    ['client', `import { SocialPublishing } from 'social-publishing'; console.log(SocialPublishing);`],
    ['preflight', `import { preflight } from 'social-publishing'; console.log(preflight);`],
    ['webhooks', `import { verifyWebhook } from 'social-publishing/webhooks'; console.log(verifyWebhook);`],
    ['emulator', `import { createEmulator } from 'social-publishing/emulator'; console.log(createEmulator);`],
    ['publisher', `import { createPublisher } from 'social-publishing/publisher'; console.log(createPublisher);`],
    ['otel', `import { otelHooks } from 'social-publishing/otel'; console.log(otelHooks);`],
  ] as const)('are in a bundle of the %s', async (part, code) => {
    expect((await bundle(code)).text.toLowerCase()).toContain(marks[part].toLowerCase());
  });
});

describe('no builtin of Node', () => {
  it.each([
    'social-publishing',
    'social-publishing/webhooks',
    'social-publishing/publisher',
    'social-publishing/query',
    'social-publishing/tools',
    'social-publishing/stores/sqlite',
    'social-publishing/stores/postgres',
    'social-publishing/stores/redis',
    'social-publishing/stores/testing',
    'social-publishing/schemas',
    'social-publishing/emulator',
  ])('is in the graph of %s', async (entry) => {
    const { imports } = await bundle(`export * from '${entry}';`);
    expect(imports).toEqual([]);
  });

  it('is in the graph of emulator/msw beyond what msw itself loads', async () => {
    const { imports } = await bundle(`export * from 'social-publishing/emulator/msw';`, ['msw']);
    expect(imports).toEqual(['msw']);
  });

  it('is in the graph of otel, nor any package but the one of OpenTelemetry', async () => {
    const { imports } = await bundle(`export * from 'social-publishing/otel';`, ['@opentelemetry/api']);
    expect(imports).toEqual(['@opentelemetry/api']);
  });

  it('but the marks of emulator/node are there', async () => {
    const { imports } = await bundle(`export * from 'social-publishing/emulator/node';`);
    expect(imports).toContain('node:http');
  });
});

describe('a bundle', () => {
  it('of the client holds nothing of the emulator, of msw, of the receiver or of preflight', async () => {
    const { text, inputs } = await bundle(
      `import { SocialPublishing } from 'social-publishing'; console.log(new SocialPublishing());`,
    );
    expect(text).not.toContain(marks.emulator);
    expect(text).not.toContain(marks.publisher);
    expect(text).not.toContain(marks.preflight);
    expect(text).not.toContain(marks.otel);
    expect(text).not.toContain('opentelemetry');
    expect(text).not.toContain('IntentConflictError');
    expect(text.toLowerCase()).not.toContain(marks.webhooks);
    expect(text).not.toContain('msw');
    for (const ofStores of ['journal_mode', 'pg_advisory_xact_lock', 'ZRANGEBYLEX', 'wake_at'])
      expect(text).not.toContain(ofStores);
    expect(inputs.filter((path) => path.includes('emulator') || path.includes('node_modules/msw/'))).toEqual([]);
  });

  it.each(['social-publishing', 'social-publishing/webhooks'])(
    'of verifyWebhook from %s holds no client',
    async (entry) => {
      const { text } = await bundle(`import { verifyWebhook } from '${entry}'; console.log(verifyWebhook);`);
      expect(text).not.toContain(marks.client);
      expect(text).not.toContain(marks.emulator);
      expect(text).not.toContain('x-access-key');
    },
  );

  it('of the publisher holds no client', async () => {
    const { text } = await bundle(
      `import { createPublisher } from 'social-publishing/publisher'; console.log(createPublisher);`,
    );
    expect(text).not.toContain(marks.client);
    expect(text).not.toContain('x-access-key');
  });

  it.each(entries)('that imports %s and uses nothing of it is empty', async (entry) => {
    const { text } = await bundle(`import '${entry}';`);
    expect(text.replace(/^\s*\/\/.*$/gm, '').trim()).toBe('');
  });

  it.each(
    entries.filter(
      (entry) => !['social-publishing/emulator/msw', 'social-publishing/otel', 'social-publishing/mcp'].includes(entry),
    ),
  )('of one unused name of %s is empty too: importing has no side effects', async (entry) => {
    const { text } = await bundle(`import * as all from '${entry}'; export const unused = () => 1;`);
    expect(text.replace(/^\s*\/\/.*$/gm, '').trim()).toMatch(/^var unused = \(\) => 1;\s+export \{\s+unused\s+\};$/);
  });
});
