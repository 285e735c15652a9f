import { signal } from '@preact/signals';

/** The open dialog and its subject. Only one is open at a time. */
export type OpenDialog =
  | { readonly kind: 'compose'; readonly day?: string }
  | { readonly kind: 'edit'; readonly postId: string }
  | { readonly kind: 'post'; readonly postId: string };

export const openDialog = signal<OpenDialog | undefined>(undefined);
