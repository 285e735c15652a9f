/** The documents for readers that are programs: an index of them, and all of them in one file. */
import { readFileSync } from 'node:fs';
import { readGuides } from './guides.js';

const furtherFiles: Readonly<Record<string, string>> = {
  'README.md': 'What the package is, a first call, one program from schedule to result, and a table of tasks.',
  'openapi.json': 'The operations that the client calls, as OpenAPI 3.1.',
  'dist/schemas/WebhookEvent.json': 'One of the JSON Schemas in that folder: requests, replies, resources and events.',
  'examples/test-with-emulator.test.ts': 'A whole test file of an application.',
  'CHANGELOG.md': 'What changed, for callers.',
};

/** The list of docs/which-piece.md. */
export function guideList(): string {
  return [...readGuides()]
    .map(
      ([heading, guides]) => `**${heading}**: ${guides.map(({ title, name }) => `[${title}](${name}.md)`).join(' · ')}`,
    )
    .join('\n\n');
}

/** `llms.txt`: the guides with a sentence each. */
export function llmsIndex(): string {
  const { description } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly description: string };
  const sections = [...readGuides()].map(
    ([heading, guides]) =>
      `## ${heading}\n\n${guides.map(({ title, path, summary }) => `- [${title}](${path}): ${summary}`).join('\n')}`,
  );
  const further = Object.entries(furtherFiles).map(([path, what]) => `- [${path}](${path}): ${what}`);
  return [
    '# social-publishing',
    `> ${description}`,
    'Every TypeScript block of these documents is run by a test. What the service does not document is called so: do not take it for a fact. ' +
      'The package contains all documents in one file, `llms-full.txt`.',
    ...sections,
    `## Further files\n\n${further.join('\n')}\n`,
  ].join('\n\n');
}

/** `llms-full.txt`: README.md and every guide, one after the other. */
export function llmsFull(): string {
  const guides = [...readGuides().values()].flat().map(({ path, text }) => [path, text] as const);
  return [['README.md', readFileSync('README.md', 'utf8')] as const, ...guides]
    .map(([path, text]) => `<!-- file: ${path} -->\n\n${text.trim()}\n`)
    .join('\n');
}
