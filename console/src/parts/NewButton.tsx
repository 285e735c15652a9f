import { showForm } from './focus.js';
import { Icon } from './Icon.js';
import { newItem } from '../state/choice.js';
import type { AddressValue } from '../state/route.js';

interface Props {
  readonly label: string;
  /** The chosen item of the list. */
  readonly choice: AddressValue;
  /** The selector of the form. */
  readonly form: string;
}

/** Opens the form for a new item in place of the chosen one. */
export function NewButton({ label, choice, form }: Props) {
  return (
    <button
      type="button"
      class="button"
      onClick={() => {
        choice.value = newItem;
        showForm(form);
      }}
    >
      <Icon name="plus" />
      {label}
    </button>
  );
}
