import { cloneElement, type ComponentChildren, type VNode } from 'preact';
import { useId } from 'preact/hooks';

interface Props {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** One input, select or textarea. */
  readonly children: VNode<{ id?: string; 'aria-describedby'?: string }>;
}

/** A labelled field; screen readers read its hint too. */
export function Field({ label, hint, children }: Props) {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {cloneElement(children, hint === undefined ? { id } : { id, 'aria-describedby': hintId })}
      {hint !== undefined && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Returns the trimmed values of a form's fields, without empty ones. */
export function fieldsOf(form: HTMLFormElement): Record<string, string> {
  const entries = [...new FormData(form).entries()].flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [],
  );
  return Object.fromEntries(entries);
}

/** Returns the items of a comma-separated field. */
export function listOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
