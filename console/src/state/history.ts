/**
 * Writes the history of the browser. A dialog has an entry above the entry of its page. When it closes, the browser goes
 * back to the page, so that the next Back leaves it. The browser does this later, and other writes wait for it.
 */

/** Writes that wait until the browser is back. */
let waiting: (() => void)[] | undefined;

/** If the browser does not go back within this time, the entry of the dialog becomes an entry of the page. */
const mostMs = 1_000;

/** Whether the browser is on its way back from a closed dialog: it still shows the address of the dialog. */
export const isGoingBack = (): boolean => waiting !== undefined;

function inOrder(write: () => void): void {
  if (waiting === undefined) write();
  else waiting.push(write);
}

function resume(): void {
  const writes = waiting ?? [];
  waiting = undefined;
  // One of them may go back again: the writes after it wait too.
  for (const write of writes) inOrder(write);
}

addEventListener('popstate', resume);

/** Adds an entry. The Back button leads to the address below it. */
export function pushAddress(address: string, below: string): void {
  inOrder(() => {
    history.pushState({ below }, '', address);
  });
}

/** Changes the address of the current entry. */
export function rewriteAddress(address: string): void {
  inOrder(() => {
    history.replaceState(history.state, '', address);
  });
}

/** Follows an address of the page, as a link does. */
export function followAddress(address: string): void {
  inOrder(() => {
    location.hash = address;
  });
}

/** Leaves the entry of a dialog: the page has this address. A reloaded or copied address may have no page below it. */
export function leaveAddress(address: string): void {
  inOrder(() => {
    if (belowOf(history.state) === address) goBackTo(address);
    else history.replaceState(null, '', address);
  });
}

function goBackTo(address: string): void {
  const writes: (() => void)[] = [];
  waiting = writes;
  history.back();
  setTimeout(() => {
    if (waiting !== writes) return;
    history.replaceState(null, '', address);
    resume();
  }, mostMs);
}

const belowOf = (state: unknown): unknown =>
  typeof state === 'object' && state !== null && 'below' in state ? state.below : undefined;
