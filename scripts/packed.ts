/** All that the package holds: a file that matches none of these got in by mistake. */
export const packed: readonly RegExp[] = [
  /^dist\/.*\.(?:js|cjs|d\.ts|d\.cts)$/,
  /^dist\/console\/(?:index\.html|assets\/(?:icon|index)-[\w-]+\.(?:css|svg))$/,
  /^dist\/schemas\/[\w.]+\.json$/,
  /^dist\/sbom\.cdx\.json$/,
  /^dist\/THIRD_PARTY_LICENSES\.md$/,
  /^docs\/(?:[a-z-]+\.md|console\.png)$/,
  /^examples\/(?:receivers|programs|bulk-schedule|bullmq|pg-boss)\/[a-z-]+\.ts$/,
  /^examples\/bulk-schedule\/(?:README\.md|campaign\.csv)$/,
  /^examples\/test-with-emulator\.test\.ts$/,
  /^llms(?:-full)?\.txt$/,
  /^(?:openapi|package)\.json$/,
  /^(?:README|CHANGELOG|SECURITY)\.md$/,
  /^LICENSE$/,
];
