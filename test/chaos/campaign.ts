/** The intents of a chaos run: a number decides on the key and the body. */

export const keyOf = (number: number): string => `chaos/${String(number).padStart(6, '0')}`;

/**
 * @param accountIds two accounts: all publications succeed on one and fail on the other. Some posts have one account,
 *   some the other, some both: published, failed and partial.
 */
export function bodyOf(number: number, accountIds: readonly string[]) {
  return {
    content: keyOf(number),
    publishNow: true as const,
    platforms: accountIds
      .filter((_, i) => number % 10 === 2 || (number % 10 === 1) === (i === 1))
      .map((accountId) => ({ platform: 'bluesky' as const, accountId })),
  };
}
