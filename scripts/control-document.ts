import type { Options } from 'tsup';
import { allRoutes } from '../src/emulator/adapters/control/api.js';
import { controlDocument } from '../src/emulator/adapters/control/openapi.js';

/** Replaces the module that generates the control API's OpenAPI document with the document. */
export const controlDocumentPlugin: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'control-document',
  setup(build) {
    build.onLoad({ filter: /[\\/]control[\\/]openapi\.ts$/ }, () => ({
      contents: `export const controlDocument = () => (${JSON.stringify(controlDocument(allRoutes))});`,
      loader: 'js',
    }));
  },
};
