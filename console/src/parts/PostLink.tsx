import type { ComponentChildren } from 'preact';
import { openDialog } from '../state/dialogs.js';

export function PostLink({ postId, children }: { readonly postId: string; readonly children: ComponentChildren }) {
  return (
    <button
      type="button"
      class="link"
      onClick={() => {
        openDialog.value = { kind: 'post', postId };
      }}
    >
      {children}
    </button>
  );
}
