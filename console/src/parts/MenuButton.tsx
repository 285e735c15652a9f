import { openDialog } from '../state/dialogs.js';
import { failuresInViews } from '../state/failures.js';
import { view } from '../state/route.js';
import { titles } from '../state/titles.js';
import { Icon } from './Icon.js';
import { shortCount } from './short-count.js';

/** Opens the navigation on a narrow page, and shows how many failures it counts. */
export function MenuButton() {
  const failures = failuresInViews.value;
  return (
    <button
      type="button"
      class="button menu-button"
      aria-haspopup="dialog"
      aria-expanded={openDialog.value?.kind === 'menu'}
      onClick={() => {
        openDialog.value = { kind: 'menu' };
      }}
    >
      <Icon name="menu" />
      <span class="unseen">Menu</span>
      <span class="menu-view">{titles[view.value]}</span>
      {failures > 0 && (
        <span class="menu-count">
          {shortCount(failures)}
          <span class="unseen">{failures === 1 ? ' failure' : ' failures'}</span>
        </span>
      )}
    </button>
  );
}
