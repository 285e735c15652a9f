import { useEffect } from 'preact/hooks';
import { Dialog } from '../parts/Dialog.js';
import { Nav } from '../parts/Nav.js';
import { isNarrow } from '../state/screen.js';

/** Shows the navigation on a narrow page. A wide page shows it beside the view, so it closes the menu. */
export function MenuDialog({ onClose }: { readonly onClose: () => void }) {
  const isShown = isNarrow.value;
  useEffect(() => {
    if (!isShown) onClose();
  }, [isShown]);
  if (!isShown) return null;
  return (
    <Dialog title="Menu" onClose={onClose}>
      <Nav />
    </Dialog>
  );
}
