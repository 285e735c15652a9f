/** How the site differs from typedoc's defaults: titles and groups of the guides, their addresses, and links between them. */
import { basename, relative } from 'node:path';
import {
  Comment,
  CommentTag,
  Converter,
  DocumentReflection,
  JSX,
  KindRouter,
  ReflectionKind,
  type Application,
  type Reflection,
} from 'typedoc';

/** A page of the site that is written in Markdown. */
export interface Page {
  readonly path: string;
  readonly title: string;
  /** Its group in the sidebar. A page without one is the child of another page. */
  readonly group?: string;
}

/** Guides keep the name of their file as their address. Typedoc would take the title. */
class FileNameRouter extends KindRouter {
  override getIdealBaseName(reflection: Reflection): string {
    const file = reflection.isDocument() ? reflection.project.files.getReflectionPath(reflection) : undefined;
    return file === undefined ? super.getIdealBaseName(reflection) : `documents/${basename(file, '.md')}`;
  }
}

export function arrangePages(app: Application, pages: readonly Page[]): void {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const groups = [...new Set(pages.flatMap(({ group }) => (group === undefined ? [] : [group])))];
  app.renderer.defineRouter('file-name', FileNameRouter);
  app.options.setValue('router', 'file-name');
  app.options.setValue(
    'projectDocuments',
    pages.filter(({ group }) => group !== undefined).map(({ path }) => path),
  );
  app.options.setValue('sort', ['kind', 'instance-first', 'alphabetical-ignoring-documents']);
  app.options.setValue('groupOrder', [...groups, '*']);
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document) => {
    const page = byPath.get(pathOf(document));
    if (page === undefined) throw new Error(`The site does not expect ${pathOf(document)}.`);
    document.name = page.title;
    if (page.group !== undefined) document.frontmatter['group'] = page.group;
  });
}

/** The entries whose import path differs from the path of their source. */
const movedEntries: Readonly<Record<string, string>> = {
  index: '',
  'tools/mcp': '/mcp',
  'emulator/adapters/node': '/emulator/node',
  'emulator/adapters/msw': '/emulator/msw',
};

/** Returns the path from which a caller imports a module, such as `social-publishing/webhooks`. */
function importPath(module: string, exports: Readonly<Record<string, unknown>>): string {
  const path = movedEntries[module] ?? `/${module}`;
  if (exports[`.${path}`] === undefined) throw new Error(`package.json does not export ${module} as .${path}.`);
  return `social-publishing${path}`;
}

/** Shows the groups in the sidebar, calls the modules the reference, and names each by its import path. */
export function showGroups(app: Application, exports: Readonly<Record<string, unknown>>): void {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    // Only the project: in the modules, groups would add a level to the sidebar.
    project.comment = new Comment([], [], new Set(['@showGroups']));
    for (const module of project.children ?? []) {
      module.name = importPath(module.name, exports);
      module.comment ??= new Comment();
      module.comment.blockTags.push(new CommentTag('@group', [{ kind: 'text', text: 'Reference' }]));
    }
  });
}

const pathOf = (document: DocumentReflection): string =>
  relative(process.cwd(), document.project.files.getReflectionPath(document) ?? '');

/** Adds links to the previous and the next page below each page. */
export function linkNeighbours(app: Application): void {
  app.renderer.hooks.on('content.end', (context) => {
    const { model } = context.page;
    if (!(model instanceof DocumentReflection)) return JSX.createElement(JSX.Fragment, null);
    const all = model.project.getReflectionsByKind(ReflectionKind.Document);
    const at = all.indexOf(model);
    const link = (target: Reflection | undefined, rel: 'prev' | 'next') =>
      target === undefined
        ? JSX.createElement('span', null)
        : JSX.createElement('a', { href: context.urlTo(target), rel }, target.name);
    return JSX.createElement(
      'nav',
      { class: 'neighbours', 'aria-label': 'Previous and next page' },
      link(all[at - 1], 'prev'),
      link(all[at + 1], 'next'),
    );
  });
}
