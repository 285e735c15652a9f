import type { Automation } from '../../resources/automations.js';

// The API document gives `exact` alone and does not say what it means: the rules are the emulator's own.

/** Whether a comment sets an automation off. `postId` is the platform's own ID of the commented post. */
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

/** The same text whichever case it is in, and however its accents are written. */
function folded(text: string): string {
  return text.normalize('NFC').toLowerCase().trim();
}

function words(keywords: readonly string[] = []): string[] {
  return keywords.map(folded).filter((keyword) => keyword !== '');
}

/** Whether a keyword stands in a text as a word: neither `guides` nor `misguide` holds `guide`. */
function holdsWord(text: string, keyword: string): boolean {
  for (let at = text.indexOf(keyword); at !== -1; at = text.indexOf(keyword, at + 1)) {
    const end = at + keyword.length;
    // A keyword that ends in a sign, as `c++` and an emoji do, ends its word by itself.
    if (!goesOn(text.slice(0, at), keyword) && !goesOn(keyword, text.slice(end))) return true;
  }
  return false;
}

/** Whether a word goes on from the end of one text into the next. */
function goesOn(before: string, after: string): boolean {
  return /[\p{L}\p{M}\p{N}]$/u.test(before) && /^[\p{L}\p{M}\p{N}]/u.test(after);
}
