import { cloneElement, type ComponentChildren, type VNode } from 'preact';
import { useContext, useId } from 'preact/hooks';
import { FieldProblemsContext } from './field-problems.js';

interface Props {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** One input, select or textarea. */
  readonly children: VNode<{ id?: string; name?: string; 'aria-describedby'?: string; 'aria-invalid'?: boolean }>;
}

/** A labelled field; screen readers read its hint and its problem too. */
export function Field({ label, hint, children }: Props) {
  const id = useId();
  const { name } = children.props;
  const problem = useContext(FieldProblemsContext)[name ?? ''];
  const described = [hint !== undefined && `${id}-hint`, problem !== undefined && `${id}-problem`].filter(
    (part) => part !== false,
  );
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {cloneElement(children, {
        id,
        ...(described.length === 0 ? {} : { 'aria-describedby': described.join(' ') }),
        ...(problem === undefined ? {} : { 'aria-invalid': true }),
      })}
      {problem !== undefined && (
        <p class="bad" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
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
export const listOf = (text: string | undefined): string[] => itemsOf(text, ',');

/** Returns the lines of a field that are not empty. */
export const linesOf = (text: string | undefined): string[] => itemsOf(text, '\n');

function itemsOf(text = '', separator: string): string[] {
  return text.split(separator).flatMap((item) => item.trim() || []);
}
