import { useEffect, useRef } from 'preact/hooks';
import { openDialog } from '../state/dialogs.js';
import { addressOf, view, viewNames, type ViewName } from '../state/route.js';
import { titles } from '../state/titles.js';
import { observed } from '../world/session.js';
import { Icon, type IconName } from './Icon.js';

/** The view of observed parts is in the way of everyone who observes nothing. */
const isOffered = (name: ViewName) => name !== 'durable' || observed.value.length > 0;

export function Nav() {
  const shown = view.value;
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone, the links are in one row, and the current one may be out of view.
    const { current } = nav;
    const link = current?.querySelector<HTMLElement>('[aria-current]');
    if (current !== null && link) current.scrollLeft = link.offsetLeft - (current.clientWidth - link.offsetWidth) / 2;
  }, [shown]);
  return (
    <nav ref={nav} class="nav" aria-label="Views">
      <ul role="list">
        {viewNames.filter(isOffered).map((name) => (
          <li key={name}>
            <a href={addressOf(name)} aria-current={name === shown ? 'page' : undefined}>
              <Icon name={name} />
              {titles[name]}
            </a>
          </li>
        ))}
        <Tool kind="connection" icon="link" label="Connect a program" />
        <Tool kind="state" icon="store" label="Emulator state" />
      </ul>
    </nav>
  );
}

/** Opens a dialog about the whole emulator. */
function Tool({
  kind,
  icon,
  label,
}: {
  readonly kind: 'connection' | 'state';
  readonly icon: IconName;
  readonly label: string;
}) {
  return (
    <li>
      <button
        type="button"
        class="nav-tool"
        onClick={() => {
          openDialog.value = { kind };
        }}
      >
        <Icon name={icon} />
        {label}
      </button>
    </li>
  );
}
