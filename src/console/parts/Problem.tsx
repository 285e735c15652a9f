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

/** Shows an error, with a button to try again. */
export function Problem({ text, retry }: { readonly text: string | undefined; readonly retry?: () => void }) {
  if (text === undefined || ((text === noAnswer || text === lostWords.value) && !isAnswering.value)) return null;
  return (
    <div class="problem" role="alert">
      <p>{text}</p>
      {retry !== undefined && (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
