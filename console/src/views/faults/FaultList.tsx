import { Loading } from '../../parts/Loading.js';
import { faults, type FaultEntry } from '../../state/rules.js';
import { appliedText, nameOf } from './faults.js';
import { RuleItem } from './RuleItem.js';

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
        <RuleItem
          key={id}
          kind="rule"
          words={nameOf(fault)}
          path={`faults/${encodeURIComponent(id)}`}
          title={
            <>
              <strong>{nameOf(fault)}</strong> <span class="hint">{scopeOf(fault, everywhere)}</span>
            </>
          }
          about={`${appliedText(struck)}${spent ? ', used up' : ''}`}
        />
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
