import { useEffect } from 'preact/hooks';
import { isDialogTyped } from '../parts/Dialog.js';
import { LastHiddenNotice } from '../parts/Notices.js';
import { clock } from '../state/clock.js';
import { noticeBeforeDialog, openDialog, subjectOf, type OpenDialog } from '../state/dialogs.js';
import { notify } from '../state/notices.js';
import { findPost, loadPosts, postsRead } from '../state/posts.js';
import { ClockDialog } from './ClockDialog.js';
import { CommandDialog } from './CommandDialog.js';
import { ComposeDialog, CopyDialog } from './ComposeDialog.js';
import { ConnectionDialog } from './ConnectionDialog.js';
import { EditDialog } from './EditDialog.js';
import { MenuDialog } from './MenuDialog.js';
import { PostDialog } from './PostDialog.js';
import { ShortcutsDialog } from './ShortcutsDialog.js';
import { StateDialog } from './StateDialog.js';

function close(): void {
  openDialog.value = undefined;
}

/** Reads the posts again, because a new post may not have arrived yet. Returns a function that stops it. */
function closeIfGone(postId: string): () => void {
  let isShown = true;
  void loadPosts().then(() => {
    if (!isShown || findPost(postId) !== undefined) return;
    if (isDialogTyped()) {
      notify(`There is no post ${postId} any more. Your text is kept until you close this dialog.`, 'bad');
      return;
    }
    close();
    notify(`There is no post ${postId}.`, 'bad');
  });
  return () => {
    isShown = false;
  };
}

/** Shows the open dialog. */
export function Dialogs() {
  const open = openDialog.value;
  const postId = subjectOf(open);
  const isMissing = postId !== undefined && postsRead.value && findPost(postId) === undefined;
  useEffect(() => (isMissing ? closeIfGone(postId) : undefined), [isMissing, postId]);
  return (
    <LastHiddenNotice.Provider value={open === undefined ? 0 : noticeBeforeDialog.value}>
      <Dialog open={open} />
    </LastHiddenNotice.Provider>
  );
}

function Dialog({ open }: { readonly open: OpenDialog | undefined }) {
  switch (open?.kind) {
    case 'compose':
      // Its first time is by the emulator's clock.
      if (clock.value === undefined) return null;
      if ('from' in open) return <CopyDialog key={open.from} postId={open.from} onClose={close} />;
      return <ComposeDialog day={open.day} onClose={close} />;
    case 'edit':
      return <EditDialog key={open.postId} postId={open.postId} onClose={close} />;
    case 'post':
      return <PostDialog key={open.postId} postId={open.postId} onClose={close} />;
    case 'menu':
      return <MenuDialog onClose={close} />;
    case 'connection':
      return <ConnectionDialog onClose={close} />;
    case 'state':
      return <StateDialog onClose={close} />;
    case 'clock':
      return clock.value === undefined ? null : <ClockDialog onClose={close} />;
    case 'commands':
      return <CommandDialog onClose={close} />;
    case 'shortcuts':
      return <ShortcutsDialog onClose={close} />;
    default:
      return null;
  }
}
