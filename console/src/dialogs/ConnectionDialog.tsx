import { useState } from 'preact/hooks';
import { Code } from '../parts/Code.js';
import { Dialog } from '../parts/Dialog.js';
import { accessKey } from '../world/session.js';
import { snippetsFor } from './snippets.js';

/** Shows how to connect a program to this emulator. */
export function ConnectionDialog({ onClose }: { readonly onClose: () => void }) {
  const [isShown, setShown] = useState(false);
  const baseUrl = new URL('.', location.href).href;
  const key = accessKey.value;
  return (
    <Dialog title="Connect a program" onClose={onClose} wide>
      <Code label="Base URL" text={baseUrl.replace(/\/$/, '')} />
      {key === null ? (
        <p class="hint">This emulator requires no access key.</p>
      ) : (
        <>
          <button
            type="button"
            class="button"
            aria-expanded={isShown}
            onClick={() => {
              setShown(!isShown);
            }}
          >
            {isShown ? 'Hide the access key' : 'Show the access key'}
          </button>
          {isShown && <Code label="Access key" text={key ?? ''} />}
        </>
      )}
      {snippetsFor(baseUrl, (isShown && key) || undefined).map(({ label, text }) => (
        <Code key={label} label={label} text={text} />
      ))}
    </Dialog>
  );
}
