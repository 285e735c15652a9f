import { operationId } from './operations.js';

/** Terms that only callers of this package have: its docs use them, but a document for every language must not. */
const ofThisPackage = /`(?:extraBody|extraQuery|targetResults|responseOf|retryFailed|targetOf|isFinalStatus)\b/;

/** Rewrites a doc comment for readers in any language: without `Date`, methods and options of the client. */
export function plainText(text: string): string {
  return text
    .replace(/,? or a `Date`/g, '')
    .replace(
      /`([a-z]+)\.([a-zA-Z]+)`/g,
      (_, resource: string, method: string) => `\`${operationId(resource, method)}\``,
    )
    .replace(/\n/g, ' ')
    .split(/(?<=\.)\s+/)
    .map(withoutClausesOfThisPackage)
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function withoutClausesOfThisPackage(sentence: string): string {
  if (!ofThisPackage.test(sentence)) return sentence;
  const clauses = sentence.split(/(?<=[;:])\s/).filter((clause) => !ofThisPackage.test(clause));
  return clauses.length === 0 ? '' : clauses.join(' ').replace(/[;:.,]*$/, '.');
}
