import { ConfirmButton } from '../../parts/ConfirmButton.js';
import { Loading } from '../../parts/Loading.js';
import { changed } from '../../state/live.js';
import { remove } from '../../world/workbench.js';
import { appliedText, faults, nameOf, type FaultEntry } from './faults.js';
import { tellOfRule } from './rule-notice.js';

interface Props {
  /** Undefined until they are read. */
  readonly entries: readonly FaultEntry[] | undefined;
  readonly empty: string;
  /** The scope of a fault without a route or an event. */
  readonly everywhere: string;
}

/** Faults, and how often each applied. */
export function FaultList({ entries, empty, everywhere }: Props) {
  if (entries === undefined) return <Loading error={faults.error.value} />;
  if (entries.length === 0) return <p class="hint">{empty}</p>;
  return (
    <ul role="list" class="fault-list">
      {entries.map(({ id, fault, struck, spent }) => (
        <li key={id}>
          <div>
            <p>
              <strong>{nameOf(fault)}</strong> <span class="hint">{scopeOf(fault, everywhere)}</span>
            </p>
            <p class="hint">
              {appliedText(struck)}
              {spent && ', used up'}
            </p>
          </div>
          <ConfirmButton
            small
            label="Remove"
            confirm="Confirm"
            name={`Remove the rule: ${nameOf(fault)}`}
            onPress={async () => {
              await remove(`faults/${encodeURIComponent(id)}`);
              tellOfRule(`The rule is removed: ${nameOf(fault)}.`);
              changed('fault');
            }}
          />
        </li>
      ))}
    </ul>
  );
}

function scopeOf(fault: FaultEntry['fault'], everywhere: string): string {
  const { kind, route, eventType, times, status: _, ...others } = fault;
  const scope = route ?? eventType;
  // Only created posts are listed late.
  const place = typeof scope === 'string' ? scopeWords(scope) : kind === 'listing_lag' ? undefined : everywhere;
  const limit = times === undefined ? undefined : times === 1 ? 'once' : `${JSON.stringify(times)} times`;
  const fields = Object.entries(others).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return [place, limit, ...fields].filter((part) => part !== undefined).join(' · ');
}

/** A route can be only a method. */
const scopeWords = (scope: string): string => (/^[A-Z]+$/.test(scope) ? `all ${scope} routes` : scope);
