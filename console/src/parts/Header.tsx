import { newPost } from '../commands/new-post.js';
import { connection } from '../state/live.js';
import { isNarrow } from '../state/screen.js';
import { nextTheme, theme, themeIcons } from '../state/theme.js';
import { ClockBar } from './ClockBar.js';
import { Icon } from './Icon.js';
import { MenuButton } from './MenuButton.js';

const icon = new URL('../icon.svg', import.meta.url).href;

const connectionWords = {
  connecting: 'Connecting',
  live: 'Live',
  polling: 'Polling',
  lost: 'Not connected',
} as const;

export function Header() {
  return (
    <header class="top">
      <div class="brand">
        {isNarrow.value ? <MenuButton /> : <img src={icon} alt="" width="28" height="28" />}
        <div>
          <p class="brand-name narrow-unseen">Emulator console</p>
          <p class={`connection connection-${connection.value}`} role="status">
            <span class="dot" aria-hidden="true" />
            <span class="narrow-unseen">{connectionWords[connection.value]}</span>
          </p>
        </div>
      </div>
      <ClockBar />
      <div class="button-row top-actions">
        {!isNarrow.value && (
          <button
            type="button"
            class="button button-quiet button-icon"
            aria-label={`Theme: ${theme.value}. Change`}
            title={`Theme: ${theme.value}`}
            onClick={nextTheme}
          >
            <Icon name={themeIcons[theme.value]} />
          </button>
        )}
        <button type="button" class="button button-main" title="New post" onClick={newPost}>
          <Icon name="plus" />
          <span class="narrow-unseen">New post</span>
        </button>
      </div>
    </header>
  );
}
