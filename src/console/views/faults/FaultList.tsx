import { ConfirmButton } from '../../parts/ConfirmButton.js';
import { Loading } from '../../parts/Loading.js';
import { changed } from '../../state/live.js';
import { announce } from '../../state/notices.js';
import { remove } from '../../world/workbench.js';
import { deliveryKinds, faults, requestKinds, type FaultEntry } from './faults.js';

interface Props {
  /** Undefined until they are read. */
  readonly entries: readonly FaultEntry[] | undefined;
  readonly empty: string;
}

/** Faults, and how often each applied. */
export function FaultList({ entries, empty }: Props) {
  if (entries === undefined) return <Loading error={faults.error.value} />;
  if (entries.length === 0) return <p class="hint">{empty}</p>;
  return (
    <ul role="list" class="fault-list">
      {entries.map(({ id, fault, struck, spent }) => (
        <li key={id}>
          <div>
            <p>
              <strong>{wordsFor(fault.kind)}</strong> <span class="hint">{scopeOf(fault)}</span>
            </p>
            <p class="hint">
              {struck === 0 ? 'not applied yet' : `applied ${struck === 1 ? 'once' : `${struck} times`}`}
              {spent && ', used up'}
            </p>
          </div>
          <ConfirmButton
            small
            label="Remove"
            confirm="Press again"
            name={`Remove the rule: ${wordsFor(fault.kind)}`}
            onPress={async () => {
              await remove(`faults/${encodeURIComponent(id)}`);
              announce(`Removed: ${wordsFor(fault.kind)}`);
              changed('fault');
            }}
          />
        </li>
      ))}
    </ul>
  );
}

/** Returns the name of a kind, as the forms show it. */
function wordsFor(kind: string): string {
  return [...requestKinds, ...deliveryKinds].find((known) => known.kind === kind)?.words ?? kind;
}

function scopeOf(fault: FaultEntry['fault']): string {
  const { kind: _, ...fields } = fault;
  return Object.entries(fields)
    .map(([name, value]) =>
      name === 'route' || name === 'eventType' ? String(value) : `${name} ${JSON.stringify(value)}`,
    )
    .join(' · ');
}
