import { notify } from '../state/notices.js';
import { Icon } from './Icon.js';

/** Shows code or JSON with a copy button. The keyboard can scroll it too. */
export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      notify(`${label}: copied`);
    } catch {
      notify('The browser refused to copy. Select the text and copy it by hand.', 'bad');
    }
  };
  return (
    <div class="code">
      <div class="code-head">
        <span class="code-label">{label}</span>
        <button type="button" class="button button-quiet button-small" onClick={() => void copy()}>
          <Icon name="copy" />
          Copy<span class="unseen"> {label}</span>
        </button>
      </div>
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
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
