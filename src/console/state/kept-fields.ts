/** The fields of forms that were not sent yet, by the name of the form. They stay while the page lives. */
const kept = new Map<string, ReadonlyMap<string, string>>();

type TextField = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const fieldsIn = (form: HTMLFormElement): readonly TextField[] =>
  [...form.querySelectorAll<TextField>('input, select, textarea')].filter(
    ({ name, type }) => name !== '' && type !== 'checkbox' && type !== 'radio' && type !== 'file',
  );

export function keepFields(name: string, form: HTMLFormElement): void {
  kept.set(name, new Map(fieldsIn(form).map((field) => [field.name, field.value])));
}

export function forgetFields(name: string): void {
  kept.delete(name);
}

/** Writes the kept texts into a form that appears again. */
export function restoreFields(name: string, form: HTMLFormElement): void {
  for (const field of fieldsIn(form)) {
    const text = kept.get(name)?.get(field.name);
    if (text !== undefined) field.value = text;
  }
}
