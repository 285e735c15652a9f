import type { Page } from 'playwright-core';

/** A user without a plan: clicks, presses keys, types and goes back at random. The same seed gives the same steps. */
export interface Walk {
  readonly seed: number;
  readonly steps: number;
}

const keys = [
  ...['Tab', 'Shift+Tab', 'Enter', 'Escape', 'Space', 'Home', 'End', 'PageUp', 'PageDown'],
  ...['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'n', 't', '?', '/', 'Control+k', 'Control+Enter'],
  ...['Shift+ArrowLeft', 'Shift+ArrowRight', 'Shift+ArrowUp', 'Shift+ArrowDown', 'Delete', 'Backspace'],
];
const texts = ['guide', 'שלום', '👩‍👩‍👧‍👦', '<script>', 'x'.repeat(300), '-1', '2027-03-11T10:00', '%E0%A4%A', '"\'\\'];
const addresses = [
  ...['calendar', 'calendar?layout=week', 'calendar?layout=agenda', 'posts', 'accounts', 'comments', 'messages'],
  ...['automations', 'analytics', 'webhooks', 'requests', 'faults', 'posts?tool=state', 'calendar?tool=clock'],
  ...['posts?compose=any', 'posts?post=none', 'calendar?day=9999-99-99', '%E0%A4%A'],
];

/** Random numbers from 0 to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The Navigation API of the browser, which the types of the DOM do not contain. */
interface HasNavigation {
  readonly navigation: { readonly canGoBack: boolean };
}

/** What must hold after each step. */
interface Sight {
  readonly isOnBody: boolean;
  readonly hasDialog: boolean;
  readonly hasHeading: boolean;
  /** The number of pixels that the page or its dialog scrolls sideways. */
  readonly sideways: number;
}

const look = (page: Page) =>
  page.evaluate((): Sight => {
    const dialog = document.querySelector('dialog[open]');
    const wide = (element: Element | null) => (element === null ? 0 : element.scrollWidth - element.clientWidth);
    return {
      isOnBody: document.activeElement === null || document.activeElement === document.body,
      hasDialog: dialog !== null,
      hasHeading: document.querySelector('main h1') !== null,
      sideways: Math.max(wide(document.documentElement), wide(dialog)),
    };
  });

/** Waits until the page has settled in a good state. Returns the last one. */
async function settled(page: Page, isGood: (sight: Sight) => boolean): Promise<Sight> {
  let sight = await look(page);
  for (let tries = 0; tries < 20 && !isGood(sight); tries += 1) {
    await page.waitForTimeout(50);
    sight = await look(page);
  }
  return sight;
}

/** Clicks a visible control of the dialog or the page. */
async function click(page: Page, random: () => number): Promise<string> {
  const target = await page.evaluate((chance) => {
    const scope = document.querySelector('dialog[open]') ?? document.body;
    const all = [...scope.querySelectorAll<HTMLElement>('a[href], button, input, summary, [role=option]')].filter(
      (element) => element.checkVisibility() && element.getAttribute('type') !== 'file',
    );
    const element = all[Math.floor(chance * all.length)];
    if (element === undefined) return undefined;
    element.scrollIntoView({ block: 'center' });
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2, name: (element.ariaLabel ?? element.innerText).slice(0, 30) };
  }, random());
  if (target === undefined) return 'click nothing';
  await page.mouse.click(target.x, target.y);
  return `click “${target.name.replaceAll(/\s+/g, ' ')}”`;
}

async function type(page: Page, text: string): Promise<void> {
  // In one evaluation: between two, a closing dialog can take its fields away.
  const hasField = await page.evaluate(() => {
    const scope = [...document.querySelectorAll('dialog[open], main')].at(-1);
    const field = scope?.querySelector<HTMLElement>('input:not([type]), input[type=search], textarea');
    field?.focus();
    return field !== undefined && field !== null;
  });
  if (hasField) await page.keyboard.insertText(text);
}

/** Makes one step. Returns its name, and the key that it pressed. */
async function step(page: Page, random: () => number): Promise<{ readonly name: string; readonly key?: string }> {
  const choice = random();
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? '';
  if (choice < 0.45) return { name: await click(page, random) };
  if (choice < 0.75) {
    const key = pick(keys);
    await page.keyboard.press(key);
    return { name: `press ${key}`, key };
  }
  if (choice < 0.83) {
    const text = pick(texts);
    await type(page, text);
    return { name: `type “${text.slice(0, 20)}”` };
  }
  const back = choice < 0.92;
  const address = back ? '' : pick(addresses);
  await page.evaluate(
    ([target, isBack]) => {
      if (!isBack) location.hash = `#/${target}`;
      // Back must not leave the page for the empty page before it.
      else if ((window as unknown as HasNavigation).navigation.canGoBack) history.back();
    },
    [address, back] as const,
  );
  return { name: back ? 'go back' : `go to ${address}` };
}

/** Walks through the page. Returns the problems with their last steps. */
export async function walk(page: Page, { seed, steps }: Walk): Promise<readonly string[]> {
  const random = randomOf(seed);
  const names: string[] = [];
  const problems: string[] = [];
  const report = (problem: string) =>
    problems.push(`seed ${seed}, step ${names.length}: ${problem}, after: ${names.slice(-4).join(', ')}`);
  // A dialog returns the focus to the page: it may have been on the body before.
  let [wasOnBody, pageHadFocus] = [true, false];
  for (let index = 0; index < steps; index += 1) {
    const { name, key } = await step(page, random);
    names.push(name);
    // Tab leaves the page at its end.
    const mayLose = key === undefined || key.endsWith('Tab') || wasOnBody;
    const isGood = ({ isOnBody, hasDialog, hasHeading, sideways }: Sight) =>
      hasHeading && sideways <= 0 && (!isOnBody || mayLose || (!hasDialog && !pageHadFocus));
    const sight = await settled(page, isGood);
    if (!isGood(sight)) report(JSON.stringify(sight));
    wasOnBody = sight.isOnBody;
    if (!sight.hasDialog) pageHadFocus = !sight.isOnBody;
  }
  return problems;
}
