/** Joins messages. Some end with a period, and others have none. */
export const sentencesOf = (messages: readonly string[]): string =>
  messages
    .map((message, index) => (index === messages.length - 1 || message.endsWith('.') ? message : `${message};`))
    .join(' ');

/** Ends a text with a period if it has no end. */
export const endedSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
