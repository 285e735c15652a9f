import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { wordsOf } from '../world/words.js';
import { fieldsOf } from './Field.js';
import { Problem } from './Problem.js';

interface Props {
  /** Receives the field values; the form shows its errors. */
  readonly onSubmit: (fields: Record<string, string>, form: HTMLFormElement) => Promise<unknown>;
  readonly submit: ComponentChildren;
  readonly children: ComponentChildren;
  readonly label?: string;
  readonly class?: string;
}

/** A form that runs one submission at a time and shows its errors. */
export function Form({ onSubmit, submit, children, label, class: className = 'form' }: Props) {
  const [problem, setProblem] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const send = async (form: HTMLFormElement) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await onSubmit(fieldsOf(form), form);
    } catch (error) {
      setProblem(wordsOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      class={className}
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) void send(event.currentTarget);
      }}
    >
      {children}
      <Problem text={problem} />
      <div class="form-end">
        <button type="submit" class="button button-main" aria-disabled={busy}>
          {submit}
        </button>
      </div>
    </form>
  );
}
