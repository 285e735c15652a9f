import { operationId } from './operation-id.js';

/** What only callers of this package have: their docs name it, a document for every language doesn't. */
const ofThisPackage = /`(?:extraBody|extraQuery|targetResults|responseOf|retryFailed|targetOf|isFinalStatus)\b/;

/** A doc comment of the package as a reader in any language needs it: no `Date`, no method, no option of the client. */
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
