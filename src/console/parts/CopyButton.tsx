import { notify } from '../state/notices.js';
import { Icon } from './Icon.js';

/** Copies a text. A screen reader hears what is copied. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      notify(`${label}: copied`);
    } catch {
      notify('The browser refused to copy. Select the text and copy it by hand.', 'bad');
    }
  };
  return (
    <button type="button" class="button button-quiet button-small" onClick={() => void copy()}>
      <Icon name="copy" />
      Copy<span class="unseen"> {label}</span>
    </button>
  );
}
