import type { ComponentChildren } from 'preact';
import { connection, isAnswering, lostWords } from '../state/live.js';
import { noAnswer } from '../world/workbench.js';

/** Reports a stopped emulator, once for the whole page. */
export function StoppedProblem() {
  if (connection.value !== 'lost') return null;
  return (
    <p class="problem stopped" role="alert">
      {lostWords.value}
    </p>
  );
}

interface Props {
  readonly text: string | undefined;
  /** Called by a button to try again. */
  readonly retry?: () => void;
  /** A link below the text. */
  readonly children?: ComponentChildren;
}

/** Shows an error. */
export function Problem({ text, retry, children }: Props) {
  if (text === undefined || ((text === noAnswer || text === lostWords.value) && !isAnswering.value)) return null;
  return (
    <div class="problem" role="alert">
      <p>{text}</p>
      {children}
      {retry !== undefined && (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
