/** The parts of the package, in the order of the table of `npm run release:check`. The first match counts. */
export const parts: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['console of the emulator', /^dist\/console-page\.cjs$/],
  ['JSON Schemas and openapi.json', /^(?:dist\/schemas\/|openapi\.json$)/],
  ['SBOM and licenses', /^(?:dist\/(?:sbom\.cdx\.json|THIRD_PARTY_LICENSES\.md)|LICENSE)$/],
  ['types for import and require', /\.d\.c?ts$/],
  ['JavaScript for import', /^dist\/.*\.js$/],
  ['JavaScript for require', /^dist\/.*\.cjs$/],
  ['examples', /^examples\//],
  ['llms.txt and llms-full.txt', /^llms/],
  ['README, guides and other documents', /\.(?:md|png)$/],
  ['package.json', /^package\.json$/],
];

/** The allowed contents of the package: any other file was added by mistake. */
export const packed: readonly RegExp[] = [
  /^dist\/.*\.(?:js|cjs|d\.ts|d\.cts)$/,
  /^dist\/schemas\/[\w.]+\.json$/,
  /^dist\/sbom\.cdx\.json$/,
  /^dist\/THIRD_PARTY_LICENSES\.md$/,
  /^docs\/(?:[a-z-]+\.md|console\.webp)$/,
  /^examples\/(?:agent|receivers|programs|bulk-schedule|bullmq|dbos|pg-boss|temporal)\/[a-z-]+\.ts$/,
  /^examples\/(?:bun|cloudflare-worker|nextjs|react-query)\/[\w./-]+\.(?:tsx?|md|jsonc?|html)$/,
  /^examples\/bulk-schedule\/(?:README\.md|campaign\.csv)$/,
  /^examples\/test-with-emulator\.test\.ts$/,
  /^skills\/[a-z-]+\/SKILL\.md$/,
  /^llms(?:-full)?\.txt$/,
  /^(?:openapi|package)\.json$/,
  /^(?:README|CHANGELOG|SECURITY)\.md$/,
  /^LICENSE$/,
];
