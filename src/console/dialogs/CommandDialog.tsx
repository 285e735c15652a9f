import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Command } from '../commands/command.js';
import { find } from '../commands/commands.js';
import { runCommand } from '../commands/shortcuts.js';
import { Dialog } from '../parts/Dialog.js';
import { KeyHint } from '../parts/KeyHint.js';
import { useRemote } from '../state/use-remote.js';
import { deliveries } from '../views/webhooks/deliveries.js';

/** Finds views, actions, posts, accounts and deliveries by words, and runs the chosen one. */
export function CommandDialog({ onClose }: { readonly onClose: () => void }) {
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const id = useId();
  useRemote(deliveries);
  const found = find(query);
  const chosen = Math.min(active, found.length - 1);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    void runCommand(command);
  };
  return (
    <Dialog title="Search and commands" onClose={onClose}>
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
          setActive(0);
        }}
        onKeyDown={(event) => {
          const next = nextActive(event.key, chosen, found.length);
          if (event.key === 'Enter') run(found[chosen]);
          else if (next !== undefined) setActive(next);
          else return;
          event.preventDefault();
        }}
      />
      <Found id={id} found={found} chosen={chosen} run={run} />
      <p class={found.length === 0 ? 'hint' : 'unseen'} role="status">
        {found.length === 0 ? 'Nothing found. Try another word.' : `${found.length} found`}
      </p>
    </Dialog>
  );
}

interface FoundProps {
  readonly id: string;
  readonly found: readonly Command[];
  readonly chosen: number;
  readonly run: (command: Command) => void;
}

function Found({ id, found, chosen, run }: FoundProps) {
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <ul ref={list} id={id} class="commands" role="listbox" aria-label="Found">
      {found.map((command, index) => (
        <li
          key={command.id}
          id={`${id}-${index}`}
          class="command"
          role="option"
          aria-selected={index === chosen}
          onClick={() => {
            run(command);
          }}
        >
          <bdi class="command-label">{command.label}</bdi>
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
