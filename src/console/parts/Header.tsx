import { connection } from '../state/live.js';
import { openDialog } from '../state/dialogs.js';
import { nextTheme, theme } from '../state/theme.js';
import { ClockBar } from './ClockBar.js';
import { Icon } from './Icon.js';

const icon = new URL('../icon.svg', import.meta.url).href;

const connectionWords = {
  connecting: 'Connecting',
  live: 'Live',
  polling: 'Polling',
  lost: 'Not connected',
} as const;

const themeIcons = { system: 'system', light: 'sun', dark: 'moon' } as const;

export function Header() {
  return (
    <header class="top">
      <div class="brand">
        <img src={icon} alt="" width="28" height="28" />
        <div>
          <p class="brand-name">Emulator console</p>
          <p class={`connection connection-${connection.value}`} role="status">
            <span class="dot" aria-hidden="true" />
            {connectionWords[connection.value]}
          </p>
        </div>
      </div>
      <ClockBar />
      <div class="button-row top-actions">
        <button
          type="button"
          class="button button-quiet button-icon"
          aria-label={`Theme: ${theme.value}. Change`}
          title={`Theme: ${theme.value}`}
          onClick={nextTheme}
        >
          <Icon name={themeIcons[theme.value]} />
        </button>
        <button
          type="button"
          class="button button-main"
          onClick={() => {
            openDialog.value = { kind: 'compose' };
          }}
        >
          <Icon name="plus" />
          New post
        </button>
      </div>
    </header>
  );
}
