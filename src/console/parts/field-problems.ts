import { createContext } from 'preact';

/** The problems of a form's fields, by the names of their inputs. */
export type FieldProblems = Readonly<Record<string, string>>;

export const FieldProblemsContext = createContext<FieldProblems>({});

type FormField = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** An input that is refused after the browser's own checks. */
export class FieldError extends Error {
  override readonly name = 'FieldError';
  readonly field: string;

  /** @param field the name of the input */
  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

const inputsOf = (form: HTMLFormElement) => [...form.querySelectorAll<FormField>('input, textarea, select')];

/** Returns the problems that the browser reports: a required field without a value, an invalid number. */
export function problemsIn(form: HTMLFormElement): FieldProblems {
  const invalid = inputsOf(form).filter((input) => input.willValidate && !input.validity.valid && input.name !== '');
  return Object.fromEntries(invalid.map((input) => [input.name, input.validationMessage]));
}

/** Moves the focus to the first input with a problem. */
export function focusFirst(form: HTMLFormElement, problems: FieldProblems): void {
  inputsOf(form)
    .find(({ name }) => name in problems)
    ?.focus();
}
