import { useRef, useState } from 'preact/hooks';
import { CopyButton } from './CopyButton.js';

/** A longer text is cut after its first lines: a second scroll bar inside of the page would be hard to use. */
const mostLines = 24;
const firstLines = 18;

/** Returns the first lines of a long text, and a function that shows all of them. */
function useFirstLines(text: string) {
  const [whole, setWhole] = useState<string | undefined>();
  const lines = text.split('\n');
  const isCut = lines.length > mostLines && whole !== text;
  return {
    shown: isCut ? lines.slice(0, firstLines).join('\n') : text,
    hidden: isCut ? lines.length - firstLines : 0,
    showAll: () => {
      setWhole(text);
    },
  };
}

/** Shows code or JSON with a copy button. Long lines wrap, so that nothing is out of sight. */
export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  const code = useRef<HTMLPreElement>(null);
  const { shown, hidden, showAll } = useFirstLines(text);
  return (
    <div class="code">
      <div class="code-head">
        <span class="code-label">{label}</span>
        <CopyButton text={text} label={label} />
      </div>
      <pre ref={code} tabIndex={-1} role="region" aria-label={label}>
        <code>{shown}</code>
      </pre>
      {hidden > 0 && (
        <button
          type="button"
          class="button button-quiet button-small code-more"
          onClick={() => {
            // The pressed button disappears.
            code.current?.focus({ preventScroll: true });
            showAll();
          }}
        >
          Show {hidden} more lines<span class="unseen"> of {label}</span>
        </button>
      )}
    </div>
  );
}

/** Formats JSON for reading; other text stays unchanged. */
export function pretty(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2);
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}
