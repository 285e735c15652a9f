import { connection } from '../state/live.js';

interface Props {
  /** Why the last read failed. */
  readonly error?: string | undefined;
  readonly class?: string;
}

/** Shown until the first data is there. An error is shown above. */
export function Loading({ error, class: name = '' }: Props) {
  return <p class={`hint ${name}`}>{wordsFor(error)}</p>;
}

function wordsFor(error: string | undefined): string {
  if (connection.value === 'lost') return 'Not read: the emulator does not answer.';
  return error === undefined ? 'Loading' : 'Not read.';
}
