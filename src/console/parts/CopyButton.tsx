import type { ComponentChildren } from 'preact';
import { notify } from '../state/notices.js';
import { Icon } from './Icon.js';

interface Props {
  readonly text: string;
  /** The name of the text in the notice. */
  readonly label: string;
  /** The words of the button. Default: Copy, and for screen readers the label. */
  readonly children?: ComponentChildren;
}

export function CopyButton({ text, label, children }: Props) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      notify(`${label}: copied`);
    } catch {
      notify('The browser refused to copy. Select the text and copy it by hand.', 'bad');
    }
  };
  return (
    <button
      type="button"
      class={children === undefined ? 'button button-quiet button-small' : 'button button-small'}
      onClick={() => void copy()}
    >
      <Icon name="copy" />
      {children ?? (
        <>
          Copy<span class="unseen"> {label}</span>
        </>
      )}
    </button>
  );
}
