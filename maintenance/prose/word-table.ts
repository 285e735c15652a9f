/** Words that make a reader stop, and the words to use instead. */
export interface WordRule {
  readonly pattern: RegExp;
  readonly use: string;
}

const word = (pattern: string, use: string): WordRule => ({ pattern: new RegExp(`\\b(?:${pattern})\\b`, 'gi'), use });

export const wordTable: readonly WordRule[] = [
  word('tells?|told|telling', 'report, return, contain, show or say'),
  word('what (?:becomes|became|has become|came) of (?:it|them|a|the|each|every)', 'result, outcome or status'),
  word('(?:comes?|came|coming) out', 'succeeds'),
  word('stands?|stood|standing', 'is in, accompanies or means'),
  word('mend(?:s|ed|ing)?', 'fix'),
  word('lets? go of', 'release or discard'),
  word('look(?:s|ed|ing)?(?! up\\b| like\\b)', 'search, a search, or a lookup'),
  word('carr(?:y|ies|ied|ying) out', 'execute or process'),
  word('(?:give(?:s|n)?|gave|giving)(?!(?: \\w+){0,3} up\\b)', 'pass'),
  word('so many|as many as', 'a number of, or at most'),
  word('whose it is|who holds it', 'owner'),
  word('odd|oddly|well again|of (?:its|their|his) own', 'invalid, recovered, separate or own'),
  word('kin|brothers', 'derived clients, or similar cases'),
  word('a person|persons|somebody|nobody|whoever', 'a user, an operator, or you'),
  word('to be had|at hand|by itself|by themselves', 'available, or automatically'),
  word('apart from|but for|alone', 'except, or only'),
  word('those that|that of|those of|one that|ones that', 'the noun again'),
];
