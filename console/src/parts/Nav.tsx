import { isMac } from '../commands/keys.js';
import { openDialog, type ToolDialog } from '../state/dialogs.js';
import { failuresIn } from '../state/failures.js';
import { addressOf, replaceAddress, view, viewNames, type ViewName } from '../state/route.js';
import { quantity } from '../state/quantity.js';
import { activeRules } from '../state/rules.js';
import { isNarrow } from '../state/screen.js';
import { nextTheme, theme, themeIcons } from '../state/theme.js';
import { titles } from '../state/titles.js';
import { observed } from '../world/session.js';
import { focusHeading } from './focus.js';
import { Icon, type IconName } from './Icon.js';
import { shortCount } from './short-count.js';

/** Hides the view of publishers and inboxes if the emulator observes none. */
const isOffered = (name: ViewName) => name !== 'durable' || observed.value.length > 0;

/** Follows a link of the menu. The view takes the place of the menu, so that Back does not open the menu again. */
function leaveMenu(event: MouseEvent): void {
  const { currentTarget: link, ctrlKey, metaKey, shiftKey } = event;
  // A click with one of these keys opens another tab.
  if (!(link instanceof HTMLAnchorElement) || ctrlKey || metaKey || shiftKey) return;
  event.preventDefault();
  replaceAddress(link.hash);
  focusHeading();
}

/** The views, and the dialogs about the whole emulator: beside the view or, on a narrow page, in the menu. */
export function Nav() {
  const shown = view.value;
  const onClick = isNarrow.value ? leaveMenu : undefined;
  return (
    <nav class="nav" aria-label="Views">
      <ul role="list">
        {viewNames.filter(isOffered).map((name) => (
          <li key={name} class="nav-item">
            <a
              href={addressOf(name)}
              aria-current={name === shown ? 'page' : undefined}
              autoFocus={isNarrow.value && name === shown}
              onClick={onClick}
            >
              <Icon name={name} />
              {titles[name]}
            </a>
            <Failures view={name} onClick={onClick} />
            {name === 'faults' && <ActiveRules />}
          </li>
        ))}
        {/* The first of the dialogs is set apart. */}
        <Tool kind="commands" icon="search" label="Search" keys="Control+K" />
        <Tool kind="connection" icon="link" label="Connect a program" />
        <Tool kind="state" icon="store" label="Emulator state" />
        <Tool kind="shortcuts" icon="keyboard" label="Shortcuts" keys="?" />
        {/* A narrow page has no room for it at the top. */}
        {isNarrow.value && (
          <li>
            <button type="button" class="nav-tool" aria-label={`Theme: ${theme.value}. Change`} onClick={nextTheme}>
              <Icon name={themeIcons[theme.value]} />
              Theme: {theme.value}
            </button>
          </li>
        )}
      </ul>
    </nav>
  );
}

/** The rules that apply, as a reminder in every view: they may explain a failure. */
function ActiveRules() {
  const count = activeRules();
  if (count === 0) return null;
  const words = quantity(count, 'active rule', 'active rules');
  return (
    <span class="nav-count nav-rules" title={words}>
      <span aria-hidden="true">{shortCount(count)}</span>
      <span class="unseen">{words}</span>
    </span>
  );
}

/** The failures in a view, as a link to them. */
function Failures({
  view: name,
  onClick,
}: {
  readonly view: ViewName;
  readonly onClick: ((event: MouseEvent) => void) | undefined;
}) {
  const found = failuresIn(name);
  if (found === undefined || found.count === 0) return null;
  const { count, words, address } = found;
  return (
    <a
      class="nav-count"
      href={address}
      title={`${count} ${words}`}
      aria-label={`${shortCount(count)} ${words}`}
      onClick={onClick}
    >
      {shortCount(count)}
    </a>
  );
}

/** Opens a dialog about the whole emulator. */
function Tool({
  kind,
  icon,
  label,
  keys,
}: {
  readonly kind: ToolDialog;
  readonly icon: IconName;
  readonly label: string;
  readonly keys?: string;
}) {
  return (
    <li>
      <button
        type="button"
        class="nav-tool"
        aria-keyshortcuts={keys}
        onClick={() => {
          openDialog.value = { kind };
        }}
      >
        <Icon name={icon} />
        {label}
        {keys !== undefined && <kbd aria-hidden="true">{keys.replace('Control+', isMac ? '⌘' : 'Ctrl ')}</kbd>}
      </button>
    </li>
  );
}
