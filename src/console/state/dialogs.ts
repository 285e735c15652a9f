import { param, setParams } from './route.js';

/** The open dialog and its subject. Only one is open at a time. */
export type OpenDialog =
  | { readonly kind: 'compose'; readonly day?: string }
  | { readonly kind: 'edit'; readonly postId: string }
  | { readonly kind: 'post'; readonly postId: string };

const any = 'any';

function dialogInAddress(): OpenDialog | undefined {
  const [post, edit, compose] = [param('post'), param('edit'), param('compose')];
  if (edit !== '') return { kind: 'edit', postId: edit };
  if (post !== '') return { kind: 'post', postId: post };
  if (compose === '') return undefined;
  return /^\d{4}-\d{2}-\d{2}$/.test(compose) ? { kind: 'compose', day: compose } : { kind: 'compose' };
}

function paramsOf(dialog: OpenDialog | undefined): Readonly<Record<string, string>> {
  const none = { post: '', edit: '', compose: '' };
  if (dialog === undefined) return none;
  return dialog.kind === 'compose'
    ? { ...none, compose: dialog.day ?? any }
    : { ...none, [dialog.kind]: dialog.postId };
}

/** The open dialog. The address contains it, so that the Back button closes it. */
export const openDialog = {
  get value(): OpenDialog | undefined {
    return dialogInAddress();
  },
  set value(dialog: OpenDialog | undefined) {
    const isNew = dialog !== undefined && dialogInAddress() === undefined;
    setParams(paramsOf(dialog), isNew ? 'push' : 'replace');
  },
};
