import type { Keys } from '../commands/keys.js';

/** The keys of a shortcut; two keys are pressed one after the other. */
export function KeyHint({ keys }: { readonly keys: Keys }) {
  return (
    <span class="keys">
      {keys.map((key, index) => (
        <>
          {index > 0 && <span class="unseen"> then </span>}
          <kbd>{key}</kbd>
        </>
      ))}
    </span>
  );
}
