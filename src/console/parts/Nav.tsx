import { useEffect, useRef } from 'preact/hooks';
import { isMac } from '../commands/keys.js';
import { openDialog, type ToolDialog } from '../state/dialogs.js';
import { failuresIn } from '../state/failures.js';
import { addressOf, view, viewNames, type ViewName } from '../state/route.js';
import { isNarrow } from '../state/screen.js';
import { nextTheme, theme, themeIcons } from '../state/theme.js';
import { titles } from '../state/titles.js';
import { observed } from '../world/session.js';
import { Icon, type IconName } from './Icon.js';

/** Hides the view of publishers and inboxes if the emulator observes none. */
const isOffered = (name: ViewName) => name !== 'durable' || observed.value.length > 0;

/** Larger counts are cut. */
const mostShown = 999;

export function Nav() {
  const shown = view.value;
  const nav = useRef<HTMLElement>(null);
  const badges = viewNames.filter((name) => (failuresIn(name)?.count ?? 0) > 0).length;
  useEffect(() => {
    // On a phone, the links are in one row, and the current one may be out of view.
    const { current } = nav;
    const link = current?.querySelector<HTMLElement>('li:has(> [aria-current])');
    if (current !== null && link) current.scrollLeft = link.offsetLeft - (current.clientWidth - link.offsetWidth) / 2;
  }, [shown, badges]);
  return (
    <nav ref={nav} class="nav" aria-label="Views">
      <ul role="list">
        {viewNames.filter(isOffered).map((name) => (
          <li key={name} class="nav-item">
            <a href={addressOf(name)} aria-current={name === shown ? 'page' : undefined}>
              <Icon name={name} />
              {titles[name]}
            </a>
            <Failures view={name} />
          </li>
        ))}
        {/* The first of the dialogs is set apart. */}
        <Tool kind="commands" icon="search" label="Search" keys="Control+K" />
        <Tool kind="connection" icon="link" label="Connect a program" />
        <Tool kind="state" icon="store" label="Emulator state" />
        <Tool kind="shortcuts" icon="keyboard" label="Shortcuts" keys="?" />
        {/* A phone has no room for it at the top. */}
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

/** The failures in a view, as a link to them. */
function Failures({ view: name }: { readonly view: ViewName }) {
  const found = failuresIn(name);
  if (found === undefined || found.count === 0) return null;
  const { count, words, address } = found;
  return (
    <a class="nav-count" href={address} title={`${count} ${words}`} aria-label={`${count} ${words}`}>
      {count > mostShown ? `${mostShown}+` : count}
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
