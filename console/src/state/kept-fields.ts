import { onReplacedState } from './earlier-state.js';

const key = 'emulator-console-fields';

type KeptFields = Readonly<Record<string, string>>;

/** The fields of forms that were not sent yet, by the name of the form. The tab keeps them, also after a reload. */
const kept = new Map<string, KeptFields>(JSON.parse(sessionStorage.getItem(key) ?? '[]') as [string, KeptFields][]);

function save(): void {
  sessionStorage.setItem(key, JSON.stringify([...kept]));
}

// Other posts can have the same IDs.
onReplacedState(() => {
  for (const name of kept.keys()) if (name.startsWith('edit-')) kept.delete(name);
  save();
});

type TextField = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const fieldsIn = (form: HTMLFormElement): readonly TextField[] =>
  [...form.querySelectorAll<TextField>('input, select, textarea')].filter(
    ({ name, type }) => name !== '' && !['checkbox', 'radio', 'file', 'password'].includes(type),
  );

export function keepFields(name: string, form: HTMLFormElement): void {
  kept.set(name, Object.fromEntries(fieldsIn(form).map((field) => [field.name, field.value])));
  save();
}

/** Returns the text of a field that was not sent yet. */
export function keptField(form: string, field: string): string | undefined {
  return kept.get(form)?.[field];
}

export function forgetFields(name: string): void {
  kept.delete(name);
  save();
}

/** Writes the kept texts into a form that appears again. */
export function restoreFields(name: string, form: HTMLFormElement): void {
  for (const field of fieldsIn(form)) {
    const text = keptField(name, field.name);
    if (text !== undefined) field.value = text;
  }
}
