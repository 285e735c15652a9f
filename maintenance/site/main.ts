/** Writes the site, `npm run site`: a landing page, the guides in groups, a page for each operation, and the reference. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Application, TypeDocReader } from 'typedoc';
import { readGuides } from '../../scripts/docs/guides.js';
import { operationIndex, operationPages } from './operations.js';
import { arrangePages, linkNeighbours, showGroups, type Page } from './site.js';

/** Two folders deep, as `maintenance/site` is: relative links stay right. */
const written = '.tmp/docs';
mkdirSync(written, { recursive: true });
writeFileSync(`${written}/landing.md`, landingPage());
const operations = operationPages();
writeFileSync(`${written}/operations.md`, operationIndex(operations));
for (const { name, text } of operations) writeFileSync(`${written}/${name}.md`, text);

const guides = [...readGuides()].flatMap(([group, members]) =>
  members.map(({ path, title }) => ({ path, title, group })),
);
const lookUp = 'Look up';
const pages: readonly Page[] = [
  ...guides,
  { path: `${written}/operations.md`, title: 'Operations', group: lookUp },
  ...operations.map(({ name }) => ({ path: `${written}/${name}.md`, title: name })),
  { path: 'README.md', title: 'README', group: lookUp },
];

const app = await Application.bootstrapWithPlugins(
  { options: 'maintenance/site/typedoc.json', readme: `${written}/landing.md` },
  [new TypeDocReader()],
);
arrangePages(app, pages);
const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly exports: Record<string, unknown> };
showGroups(app, exports);
linkNeighbours(app);

const project = await app.convert();
if (project === undefined) process.exit(1);
app.validate(project);
if (!app.logger.hasErrors() && !app.logger.hasWarnings()) await app.generateOutputs(project);
process.exitCode = app.logger.hasErrors() || app.logger.hasWarnings() ? 1 : 0;

/** The landing page with the first call of README.md. */
function landingPage(): string {
  const [firstCall] = /^```ts\n[\s\S]*?^```$/m.exec(readFileSync('README.md', 'utf8')) ?? [];
  if (firstCall === undefined) throw new Error('README.md has no code.');
  return readFileSync('maintenance/site/landing.md', 'utf8').replace('<!-- first call -->', () => firstCall);
}
