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

/** A required text of spaces only is empty: a form sends trimmed values. */
const isBlank = (input: FormField) => input.required && input.value !== '' && input.value.trim() === '';

/** Returns the problems that the browser reports, such as a required field without a value, and blank required texts. */
export function problemsIn(form: HTMLFormElement): FieldProblems {
  const named = inputsOf(form).filter(({ name, willValidate }) => willValidate && name !== '');
  return Object.fromEntries(
    named.flatMap((input) => {
      const problem = isBlank(input) ? 'Enter a text.' : input.validationMessage;
      return problem === '' ? [] : [[input.name, problem]];
    }),
  );
}

/** Moves the focus to the first input with a problem. */
export function focusFirst(form: HTMLFormElement, problems: FieldProblems): void {
  const first = inputsOf(form).find(({ name }) => name in problems);
  first?.focus();
  // The page draws the message below the input first. It must be in sight too.
  requestAnimationFrame(() => {
    const field = first?.closest('.field, fieldset');
    (field?.querySelector('.bad, .choices-problem') ?? field)?.scrollIntoView({ block: 'nearest' });
  });
}
