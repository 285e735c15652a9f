import { dismiss, notify } from '../../state/notices.js';

let latest = 0;

/** Says what happened to a rule, in place of what the page said of the rule before. */
export function tellOfRule(words: string): void {
  dismiss(latest);
  latest = notify(words);
}
