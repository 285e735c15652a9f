import { useEffect } from 'preact/hooks';
import { openDialog } from '../state/dialogs.js';
import { notify } from '../state/notices.js';
import { findPost, loadPosts, postsRead } from '../state/posts.js';
import { ComposeDialog } from './ComposeDialog.js';
import { EditDialog } from './EditDialog.js';
import { PostDialog } from './PostDialog.js';

function close(): void {
  openDialog.value = undefined;
}

/** Reads the posts again, because a new post may not have arrived yet. Returns a function that stops it. */
function closeIfGone(postId: string): () => void {
  let isShown = true;
  void loadPosts().then(() => {
    if (!isShown || findPost(postId) !== undefined) return;
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
  const postId = open === undefined || open.kind === 'compose' ? undefined : open.postId;
  const isMissing = postId !== undefined && postsRead.value && findPost(postId) === undefined;
  useEffect(() => (isMissing ? closeIfGone(postId) : undefined), [isMissing, postId]);
  switch (open?.kind) {
    case 'compose':
      return <ComposeDialog day={open.day} onClose={close} />;
    case 'edit':
      return <EditDialog key={open.postId} postId={open.postId} onClose={close} />;
    case 'post':
      return <PostDialog key={open.postId} postId={open.postId} onClose={close} />;
    default:
      return null;
  }
}
