/** The code blocks of README.md and the guides, and each as a module that runs. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Block {
  readonly file: string;
  /** Its location, for example `README.md:25`. */
  readonly name: string;
  readonly language: string;
  readonly code: string;
}

/** README.md, the examples of the operations and every guide, by their paths. */
export async function documentFiles(): Promise<string[]> {
  const guides = (await readdir(`${root}docs`)).filter((name) => name.endsWith('.md')).sort();
  return ['README.md', 'maintenance/site/operation-examples.md', ...guides.map((name) => `docs/${name}`)];
}

export function readDocument(file: string): Promise<string> {
  return readFile(root + file, 'utf8');
}

/** All fenced blocks of a document, whatever their language. */
export async function blocksOf(file: string): Promise<Block[]> {
  const text = await readDocument(file);
  return [...text.matchAll(/^ *```([^\n`]*)\n([\s\S]*?)^ *```$/gm)].map((match) => ({
    file,
    name: `${file}:${String(text.slice(0, match.index).split('\n').length)}`,
    language: match[1] ?? '',
    code: match[2] ?? '',
  }));
}

/** The names that a block takes for granted: it uses them, and does not make them itself. */
export function takenForGranted({ code }: Block, given: readonly string[]): string[] {
  const bare = code.replace(/'[^'\n]*'/g, "''").replace(/\/\/.*$/gm, '');
  const uses = (name: string) => new RegExp(`(?<!\\w)(?<!(?<!\\.\\.)\\.)${name}\\b(?!\\s*:)`).test(bare);
  const makes = (name: string) =>
    new RegExp(
      `(?:const|let|function|class)\\s+${name}\\b|\\bimport [^;']*\\b${name}\\b|(?:const|let) (?:\\{[^}]*|\\[[^\\]]*)\\b${name}\\b`,
    ).test(bare);
  return given.filter((name) => uses(name) && !makes(name));
}

/** Converts a block into a module: variables that it expects are imported from the world. */
function moduleOf(block: Block, given: readonly string[], world: string): string {
  const names = takenForGranted(block, given).join(', ');
  return `import { ${names} } from '${world}';\n${block.code}\nexport {};\n`;
}

/** The packages that only `examples/package.json` installs. Blocks with them run in `examples/test`. */
const ofExamples = /from '(?:ai|express|fastify)'/;

export const needsExamples = ({ code }: Block): boolean => ofExamples.test(code);

/** A folder of modules made from blocks, only for the tests. */
export class Workshop {
  readonly #folder: string;
  readonly #given: readonly string[];
  readonly #world: string;

  /**
   * @param given the names that blocks may expect
   * @param place the folder whose packages the blocks find: the root or `examples/`
   */
  constructor(name: string, given: readonly string[], place: '' | 'examples/' = '') {
    this.#folder = `${root}${place}.tmp/${name}`;
    this.#given = given;
    this.#world = `${place === '' ? '' : '../'}../../test/support/docs-world.js`;
  }

  pathOf(block: Block): string {
    return `${this.#folder}/${block.name.replace(/\W+/g, '-')}.ts`;
  }

  async fill(blocks: readonly Block[]): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
    await mkdir(this.#folder, { recursive: true });
    await Promise.all(blocks.map((block) => this.add(block)));
  }

  async add(block: Block): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await writeFile(this.pathOf(block), moduleOf(block, this.#given, this.#world));
  }
}
