/**
 * Writes dist/sbom.cdx.json: a CycloneDX list of the packages whose code is in the package, created by npm from the
 * lock file. It contains no time and no random number, so two builds of one commit are equal.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { bundled, bundledInCommand, bundledInConsole } from './bundled.js';

interface Component {
  readonly name: string;
  readonly group?: string;
  readonly 'bom-ref': string;
  readonly properties?: unknown;
}

interface Bom {
  readonly specVersion: string;
  readonly metadata: { readonly component: Component; readonly tools: unknown };
  readonly components: readonly Component[];
}

const { name: own } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string };
const text = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
const { specVersion, metadata, components } = JSON.parse(text) as Bom;
const wanted = [...bundled, ...bundledInCommand, ...bundledInConsole];
const fullName = ({ group, name }: Component) => (group === undefined ? name : `${group}/${name}`);
const inside = components
  // Further copies of a package, deeper in the tree, belong to tools.
  .filter(
    (component, index) =>
      wanted.includes(fullName(component)) &&
      components.findIndex((other) => fullName(other) === fullName(component)) === index,
  )
  // They are only development dependencies, because their code is bundled.
  .map(({ properties: _properties, ...component }) => component);
const missing = wanted.filter((name) => !inside.some((component) => fullName(component) === name));
if (missing.length > 0) throw new Error(`npm sbom does not know ${missing.join(', ')}`);

const root = { ...metadata.component, name: own };
const bom = {
  $schema: `http://cyclonedx.org/schema/bom-${specVersion}.schema.json`,
  bomFormat: 'CycloneDX',
  specVersion,
  version: 1,
  metadata: { lifecycles: [{ phase: 'build' }], tools: metadata.tools, component: root },
  components: inside,
  dependencies: [
    { ref: root['bom-ref'], dependsOn: inside.map((component) => component['bom-ref']) },
    ...inside.map((component) => ({ ref: component['bom-ref'], dependsOn: [] })),
  ],
};
writeFileSync('dist/sbom.cdx.json', `${JSON.stringify(bom, null, 2)}\n`);
console.log(`dist/sbom.cdx.json: ${inside.map((component) => component['bom-ref']).join(', ')}`);
