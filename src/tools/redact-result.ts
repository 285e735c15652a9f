import { formsOf, isSecretName, redactor, redactValue, type Redact } from '../core/redactor.js';
import type { ToolResult } from './tool.js';

/** Shorter starts of a secret are useless, and could be words. */
const shortestStart = 4;

/** Creates a function that removes secrets from a text, including the start of a secret that was cut. */
export function redactorOfCutTexts(secrets: readonly string[]): Redact {
  const redact = redactor(secrets);
  const starts = formsOf(secrets).flatMap((form) =>
    Array.from({ length: Math.max(0, form.length - shortestStart) }, (_, index) => `${form.slice(0, -1 - index)}…`),
  );
  return (text) => {
    const whole = redact(text);
    return whole.includes('…') ? starts.reduce((shown, start) => shown.replaceAll(start, '***…'), whole) : whole;
  };
}

/** Removes secrets from every text of a result. */
export function redactResult({ status, ...shown }: ToolResult, redact: Redact): ToolResult {
  // Redacting keeps the form: texts stay texts, objects stay objects.
  return { status, ...(redactValue(shown, { redact, isSecret: isSecretName }) as Omit<ToolResult, 'status'>) };
}
