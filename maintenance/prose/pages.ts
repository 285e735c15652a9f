import { readdirSync } from 'node:fs';

const pagesIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);

/** The pages for people, except the changelog: released entries stay as they are. */
export const readPages = (): readonly string[] => [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...pagesIn('docs'),
  ...pagesIn('docs/decisions'),
  ...pagesIn('maintenance/site'),
];
