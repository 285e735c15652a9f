import { readSourceTexts } from '../../test/support/source-texts.js';
import { check, ruleIds, wordsOf, type Finding } from './checks.js';

export interface Message {
  readonly file: string;
  readonly text: string;
}

/** Returns texts of the source that users may read: error messages, and texts long enough for a sentence. */
export function readMessages(): readonly Message[] {
  const isMessage = (text: string, errorClass: string | undefined): boolean =>
    errorClass !== undefined ? wordsOf(text).length > 1 : /^[^<{(\n]*[a-z] [a-z]+ [a-z]/i.test(text) && !isCode(text);
  return readSourceTexts().filter(({ text, errorClass }) => isMessage(text, errorClass));
}

/** Statements of SQL and scripts of Redis. */
const isCode = (text: string): boolean =>
  /^\s*(?:select|insert|update|delete|create|alter|with|begin|drop|where|on conflict|set|pragma|local|return|if)\b/i.test(
    text,
  );

export interface MessageFinding extends Finding {
  readonly message: Message;
}

export function lintMessages(messages: readonly Message[]): readonly MessageFinding[] {
  return messages.flatMap((message) =>
    message.text
      .split(/(?<=[.!?:]) |\n/)
      .flatMap((sentence) => ruleIds.flatMap((rule) => check(rule, sentence).map((found) => ({ ...found, message })))),
  );
}
