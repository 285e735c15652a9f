import { openDialog } from '../state/dialogs.js';
import { ComposeDialog } from './ComposeDialog.js';
import { EditDialog } from './EditDialog.js';
import { PostDialog } from './PostDialog.js';

function close(): void {
  openDialog.value = undefined;
}

/** Shows the open dialog. */
export function Dialogs() {
  const open = openDialog.value;
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
