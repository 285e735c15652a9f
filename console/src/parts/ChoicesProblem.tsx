import type { VNode } from 'preact';
import { useContext, useId } from 'preact/hooks';
import { FieldProblemsContext } from './field-problems.js';

export interface ChoicesProblem {
  /** The problem, or null. It is the first child after the legend. */
  readonly shown: VNode | null;
  /** The properties of each box. */
  readonly box: { readonly 'aria-describedby': string | undefined; readonly 'aria-invalid': boolean };
}

/** Returns the problem of a group of boxes with the same name. */
export function useChoicesProblem(name: string): ChoicesProblem {
  const text = useContext(FieldProblemsContext)[name];
  const id = useId();
  const isWrong = text !== undefined;
  return {
    shown: isWrong ? <Shown id={id} text={text} /> : null,
    box: { 'aria-describedby': isWrong ? id : undefined, 'aria-invalid': isWrong },
  };
}

function Shown({ id, text }: { readonly id: string; readonly text: string }) {
  return (
    <p class="bad choices-problem" id={id}>
      {text}
    </p>
  );
}
