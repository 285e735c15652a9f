import type { AddressValue } from '../state/route.js';
import { backToList } from './focus.js';
import { Icon } from './Icon.js';

/** On a narrow page, the chosen item takes the place of the list. This button shows the list again. */
export function BackToList({ label, choice }: { readonly label: string; readonly choice: AddressValue }) {
  return (
    <button
      type="button"
      class="button button-small back-to-list"
      onClick={() => {
        backToList(choice);
      }}
    >
      <Icon name="left" />
      {label}
    </button>
  );
}
