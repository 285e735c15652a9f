import { commands } from '../commands/commands.js';
import { hasSingleKeys, isMac, mainKeyNames, type Keys } from '../commands/keys.js';
import { Dialog } from '../parts/Dialog.js';
import { KeyHint } from '../parts/KeyHint.js';

interface ShortcutGroup {
  readonly title: string;
  readonly rows: readonly { readonly keys: Keys; readonly label: string }[];
}

const row = (keys: string, label: string) => ({ keys: [keys], label });

const groups: readonly ShortcutGroup[] = [
  {
    title: 'Everywhere',
    rows: [
      row(isMac ? '⌘ K' : 'Ctrl K', 'Search views, actions and posts'),
      row(mainKeyNames, 'Send the form, or press the main button of the dialog'),
      row(isMac ? '⌘ Z' : 'Ctrl Z', 'Undo the latest move of a post'),
      row('Esc', 'Close a dialog'),
    ],
  },
  {
    title: 'Days of the calendar',
    rows: [
      row('← → ↑ ↓', 'Another day or week'),
      row('Home End', 'The first or last day of the week'),
      row('PgUp PgDn', 'Another month'),
      row('Enter', 'The posts of the day'),
      row('Esc', 'From a post back to the day'),
    ],
  },
  {
    title: 'Posts of a week in the calendar',
    rows: [row('↑ ↓', 'Another post of the day'), row('← →', 'A post of another day')],
  },
  {
    title: 'A scheduled post in the calendar',
    rows: [row('Shift ← →', 'A day earlier or later'), row('Shift ↑ ↓', 'An hour earlier or later')],
  },
  {
    title: 'Lists of posts, requests and deliveries',
    rows: [row('↑ ↓', 'Another row'), row('PgUp PgDn', 'A page up or down'), row('Home End', 'The first or last row')],
  },
];

/** Lists the shortcuts, and switches the single keys off. */
export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  const single = commands().flatMap(({ keys, label }) => (keys === undefined ? [] : [{ keys, label }]));
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} wide>
      <label class="choice">
        <input
          type="checkbox"
          checked={hasSingleKeys.value}
          onChange={({ currentTarget }) => {
            hasSingleKeys.value = currentTarget.checked;
          }}
        />
        Single keys are shortcuts
      </label>
      <p class="hint">Switch them off if you dictate or use another program with keys of its own.</p>
      <div class="shortcuts">
        <Shortcuts group={{ title: 'Single keys', rows: single }} />
        <div>
          {groups.map((group) => (
            <Shortcuts key={group.title} group={group} />
          ))}
        </div>
      </div>
    </Dialog>
  );
}

function Shortcuts({ group: { title, rows } }: { readonly group: ShortcutGroup }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl class="shortcut-list">
        {rows.map(({ keys, label }) => (
          <div key={label}>
            <dt>
              <KeyHint keys={keys} />
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
