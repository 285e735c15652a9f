import type { Automation } from '../../resources/automations.js';

// The API document names only `exact` and does not define it: these rules are the emulator's.

/** Whether a comment triggers an automation. `postId` is the platform's own ID of the commented post. */
export function isSetOff(
  { status = 'active', trigger = {} }: Automation,
  comment: { readonly postId: string; readonly text: string },
): boolean {
  const { postScope = 'any', platformPostId, matchMode = 'exact' } = trigger;
  const watches = postScope === 'any' || platformPostId === comment.postId;
  if (status !== 'active' || !watches) return false;
  const text = folded(comment.text);
  if (words(trigger.excludeKeywords).some((keyword) => holdsWord(text, keyword))) return false;
  const keywords = words(trigger.keywords);
  if (keywords.length === 0) return true;
  return keywords.some((keyword) => (matchMode === 'exact' ? text === keyword : holdsWord(text, keyword)));
}

/** Normalises case and the encoding of accents. */
function folded(text: string): string {
  return text.normalize('NFC').toLowerCase().trim();
}

function words(keywords: readonly string[] = []): string[] {
  return keywords.map(folded).filter((keyword) => keyword !== '');
}

/** Whether a text contains a keyword as a word: neither `guides` nor `misguide` contains `guide`. */
function holdsWord(text: string, keyword: string): boolean {
  for (let at = text.indexOf(keyword); at !== -1; at = text.indexOf(keyword, at + 1)) {
    const end = at + keyword.length;
    // A keyword that ends in a symbol, such as `c++` or an emoji, ends its word.
    if (!goesOn(text.slice(0, at), keyword) && !goesOn(keyword, text.slice(end))) return true;
  }
  return false;
}

/** Whether a word continues from the end of one text into the next. */
function goesOn(before: string, after: string): boolean {
  return /[\p{L}\p{M}\p{N}]$/u.test(before) && /^[\p{L}\p{M}\p{N}]/u.test(after);
}
