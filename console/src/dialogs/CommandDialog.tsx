import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Command } from '../commands/command.js';
import { find } from '../commands/commands.js';
import { runCommand } from '../commands/shortcuts.js';
import { armedMs } from '../parts/ConfirmButton.js';
import { Dialog } from '../parts/Dialog.js';
import { KeyHint } from '../parts/KeyHint.js';
import { useRemote } from '../state/use-remote.js';
import { deliveries } from '../views/webhooks/deliveries.js';

/** Finds views, actions, posts, accounts and deliveries by words, and runs the chosen one. */
export function CommandDialog({ onClose }: { readonly onClose: () => void }) {
  const [query, setQuery] = useState('');
  const { active, armed, move } = useSelection();
  const id = useId();
  useRemote(deliveries);
  const found = find(query);
  const chosen = Math.min(active, found.length - 1);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    if (command.confirm !== undefined && armed !== command.id) {
      move(found.indexOf(command), command.id);
      return;
    }
    onClose();
    void runCommand(command);
  };
  return (
    <Dialog title="Search and commands" onClose={onClose} wide>
      <input
        type="text"
        role="combobox"
        aria-label="Search views, actions and posts"
        aria-expanded={found.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={found.length === 0 ? undefined : `${id}-${chosen}`}
        placeholder="Views, actions, posts, accounts"
        autocomplete="off"
        autoFocus
        value={query}
        onInput={({ currentTarget }) => {
          setQuery(currentTarget.value);
          move(0);
        }}
        onKeyDown={(event) => {
          const next = nextActive(event.key, chosen, found.length);
          if (event.key === 'Enter') run(found[chosen]);
          else if (next !== undefined) move(next);
          else return;
          event.preventDefault();
        }}
      />
      <Found id={id} found={found} chosen={chosen} armed={armed} run={run} />
      <FoundStatus found={found} armed={armed} />
    </Dialog>
  );
}

/** The selected command, and the ID of the command that runs on the next press. After a while, a press counts as the first one again. */
function useSelection() {
  const [{ active, armed }, select] = useState({ active: 0, armed: '' });
  useEffect(() => {
    if (armed === '') return undefined;
    const timer = setTimeout(select, armedMs, { active, armed: '' });
    return () => {
      clearTimeout(timer);
    };
  }, [active, armed]);
  const move = (to: number, arm = '') => {
    select({ active: to, armed: arm });
  };
  return { active, armed, move };
}

function FoundStatus({ found, armed }: Pick<FoundProps, 'found' | 'armed'>) {
  return (
    <p class={found.length === 0 ? 'hint' : 'unseen'} role="status">
      {found.length === 0
        ? 'Nothing found. Try another word.'
        : (found.find((command) => command.id === armed)?.confirm ?? `${found.length} found`)}
    </p>
  );
}

interface FoundProps {
  readonly id: string;
  readonly found: readonly Command[];
  readonly chosen: number;
  /** The command that asks whether to run. */
  readonly armed: string;
  readonly run: (command: Command) => void;
}

function Found({ id, found, chosen, armed, run }: FoundProps) {
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <ul ref={list} id={id} class="commands" role="listbox" aria-label="Found" tabIndex={-1}>
      {found.map((command, index) => (
        <li
          key={command.id}
          id={`${id}-${index}`}
          class={command.id === armed ? 'command bad' : 'command'}
          role="option"
          aria-selected={index === chosen}
          onClick={() => {
            run(command);
          }}
        >
          <bdi class="command-label">{command.id === armed ? command.confirm : command.label}</bdi>
          {command.hint !== undefined && <span class="hint">{command.hint}</span>}
          {command.keys !== undefined && <KeyHint keys={command.keys} />}
        </li>
      ))}
    </ul>
  );
}

function nextActive(key: string, active: number, count: number): number | undefined {
  if (count === 0) return undefined;
  switch (key) {
    case 'ArrowDown':
      return (active + 1) % count;
    case 'ArrowUp':
      return (active - 1 + count) % count;
    case 'PageDown':
      return count - 1;
    case 'PageUp':
      return 0;
    default:
      return undefined;
  }
}
