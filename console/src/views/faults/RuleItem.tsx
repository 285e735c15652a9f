import type { ComponentChildren } from 'preact';
import { ConfirmButton } from '../../parts/ConfirmButton.js';
import { changed } from '../../state/live.js';
import { endedSentence } from '../../state/sentences.js';
import { remove } from '../../world/workbench.js';
import { tellOfRule } from './rule-notice.js';

interface Props {
  /** As in "Remove the rule". */
  readonly kind: 'rule' | 'outcome' | 'step';
  /** The rule in words, for the button and for the notice. */
  readonly words: string;
  /** The path of the rule in the control API. */
  readonly path: string;
  readonly title: ComponentChildren;
  readonly about: string;
}

/** An entry of a list of rules, with a button that removes it. */
export function RuleItem({ kind, words, path, title, about }: Props) {
  return (
    <li>
      <div>
        <p>{title}</p>
        <p class="hint">{about}</p>
      </div>
      <ConfirmButton
        small
        label="Remove"
        confirm="Confirm"
        name={`Remove the ${kind}: ${words}`}
        onPress={async () => {
          await remove(path);
          tellOfRule(endedSentence(`The ${kind === 'step' ? 'step' : 'rule'} is removed: ${words}`));
          // A step of a scenario may have been due next.
          changed('fault', 'clock');
        }}
      />
    </li>
  );
}
