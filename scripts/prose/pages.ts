import { readdirSync } from 'node:fs';

/** Pages that the lint leaves out, each with its reason. Guides and README.md are never left out. */
const leftOut: readonly { readonly folder: string; readonly reason: string }[] = [
  { folder: 'docs/decisions', reason: 'for maintainers: long sentences are left, counted by `-- --counts`' },
];

const pagesIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);

/** README.md, the guides and the site's landing page. */
export const readPages = (): readonly string[] => ['README.md', ...pagesIn('docs'), ...pagesIn('scripts/docs')];

/** The pages that are counted, but not judged. */
export const readLeftOut = (): readonly string[] => leftOut.flatMap(({ folder }) => pagesIn(folder));
