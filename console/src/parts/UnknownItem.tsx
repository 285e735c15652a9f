import type { ComponentChildren } from 'preact';
import type { AddressValue } from '../state/route.js';
import { backToList } from './focus.js';
import { Icon } from './Icon.js';

interface Props {
  /** As in "No request has the ID …". */
  readonly kind: string;
  readonly id: string;
  readonly choice: AddressValue;
  /** The label of the button that leads to the list. */
  readonly list: string;
  /** Why the item may not exist. */
  readonly children: ComponentChildren;
}

/** Takes the place of an item that the address names, but that does not exist. */
export function UnknownItem({ kind, id, choice, list, children }: Props) {
  return (
    <section class="panel unknown-item chosen-panel" aria-label={`Unknown ${kind}`}>
      <h2 tabIndex={-1}>Not found</h2>
      <p>
        No {kind} has the ID <code>{id}</code>. {children}
      </p>
      <button
        type="button"
        class="button"
        onClick={() => {
          backToList(choice);
        }}
      >
        <Icon name="left" />
        {list}
      </button>
    </section>
  );
}
