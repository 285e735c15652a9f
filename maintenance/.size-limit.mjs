/**
 * What a caller's browser bundle may weigh, minified and gzipped, in kB of 1,000 bytes. Needs `npm run build` first.
 * `gzip` is what most servers send; brotli would flatter the figures.
 */
const bundles = [
  // The aim is 52 kB: see docs/decisions/0001.
  { name: 'SocialPublishing', path: '../dist/index.js', import: '{ SocialPublishing }', limit: '59 kB' },
  { name: 'verifyWebhook', path: '../dist/webhooks.js', import: '{ verifyWebhook }', limit: '8 kB' },
  { name: 'verifyWebhook, from the main entry', path: '../dist/index.js', import: '{ verifyWebhook }', limit: '8 kB' },
  { name: 'createWebhookReceiver', path: '../dist/webhooks.js', import: '{ createWebhookReceiver }', limit: '10.8 kB' },
  {
    name: 'SocialPublishing and createQueries',
    path: ['../dist/index.js', '../dist/query.js'],
    import: { '../dist/index.js': '{ SocialPublishing }', '../dist/query.js': '{ createQueries }' },
    limit: '60.2 kB',
  },
  {
    // 38 kB beside the client: 19 tools, with preflight.
    name: 'SocialPublishing and createTools',
    path: ['../dist/index.js', '../dist/tools.js'],
    import: {
      '../dist/index.js': '{ SocialPublishing }',
      '../dist/tools.js': '{ createTools, toAiTools, toJsonTools, toolApproval }',
    },
    limit: '99.6 kB',
  },
  { name: 'PostSchema, zod included', path: '../dist/schemas.js', import: '{ PostSchema }', limit: '8 kB' },
];

export default bundles.map((bundle) => ({
  ...bundle,
  gzip: true,
  modifyEsbuildConfig: (config) => ({
    ...config,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    tsconfigRaw: '{}',
    logLevel: 'error',
  }),
}));
