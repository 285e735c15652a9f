import { computed, signal } from '@preact/signals';
import { latestNotice } from './notices.js';
import { param, setParams } from './route.js';
import { dayIn } from './time.js';

/** The open dialog and its subject. Only one is open at a time. */
export type OpenDialog =
  | { readonly kind: 'compose'; readonly day?: string }
  /** A copy of a post. */
  | { readonly kind: 'compose'; readonly from: string }
  | { readonly kind: 'edit'; readonly postId: string }
  | { readonly kind: 'post'; readonly postId: string }
  | { readonly kind: ToolDialog };

const toolDialogs = ['menu', 'connection', 'state', 'clock', 'commands', 'shortcuts'] as const;

/** A dialog about the whole emulator. */
export type ToolDialog = (typeof toolDialogs)[number];

const any = 'any';

function dialogInAddress(): OpenDialog | undefined {
  const [post, edit, compose] = [param('post'), param('edit'), param('compose')];
  const tool = toolDialogs.find((known) => known === param('tool'));
  if (tool !== undefined) return { kind: tool };
  if (edit !== '') return { kind: 'edit', postId: edit };
  if (post !== '') return { kind: 'post', postId: post };
  if (compose === '') return undefined;
  if (param('from') !== '') return { kind: 'compose', from: param('from') };
  const day = dayIn(compose);
  return day === undefined ? { kind: 'compose' } : { kind: 'compose', day };
}

function paramsOf(dialog: OpenDialog | undefined): Readonly<Record<string, string>> {
  const none = { post: '', edit: '', compose: '', from: '', tool: '' };
  if (dialog === undefined) return none;
  switch (dialog.kind) {
    case 'compose':
      if ('from' in dialog) return { ...none, compose: any, from: dialog.from };
      return { ...none, compose: dialog.day ?? any };
    case 'post':
    case 'edit':
      return { ...none, [dialog.kind]: dialog.postId };
    default:
      return { ...none, tool: dialog.kind };
  }
}

/** The open dialog. The address contains it, so that the Back button closes it. */
export const openDialog = {
  get value(): OpenDialog | undefined {
    return dialogInAddress();
  },
  set value(dialog: OpenDialog | undefined) {
    const isNew = dialogInAddress() === undefined;
    if (dialog === undefined) setParams(paramsOf(dialog), 'leave');
    else setParams(paramsOf(dialog), isNew ? 'push' : 'replace');
  },
};

/** Changes when another dialog opens. */
const openKey = computed(() => JSON.stringify(paramsOf(dialogInAddress())));

/** The latest notice when the open dialog opened. The dialog shows only later ones. */
export const noticeBeforeDialog = signal(0);

openKey.subscribe(() => {
  noticeBeforeDialog.value = latestNotice();
});

/** Returns the ID of the post that a dialog is about. */
export function subjectOf(dialog: OpenDialog | undefined): string | undefined {
  if (dialog === undefined) return undefined;
  if ('postId' in dialog) return dialog.postId;
  return 'from' in dialog ? dialog.from : undefined;
}
