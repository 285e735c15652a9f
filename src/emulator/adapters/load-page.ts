/** The texts of the page's files by path. */
export type PageTexts = Readonly<Record<string, string>>;

/**
 * Loads the console's page from a build of the package. The build replaces this function with an `import()` of the file
 * next to it (`scripts/console-page.ts`), so that a bundler finds the page.
 */
export async function loadPage(): Promise<PageTexts> {
  const built = (await import(new URL('../../../dist/console-page.cjs', import.meta.url).href)) as {
    readonly default: PageTexts;
  };
  return built.default;
}
