import type { ComponentChildren } from 'preact';
import { notify, type NoticeAction } from '../state/notices.js';
import { Icon } from './Icon.js';

interface Props {
  readonly text: string;
  /** The name of the text in the notice. */
  readonly label: string;
  /** Words about what the text needs, and a button for it. */
  readonly needs?: { readonly words: string; readonly action: NoticeAction };
  /** The words of the button. Default: Copy, and for screen readers the label. */
  readonly children?: ComponentChildren;
}

export function CopyButton({ text, label, needs, children }: Props) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      notify(`${label}: copied.${needs === undefined ? '' : ` ${needs.words}`}`, 'good', needs?.action);
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
