import { useState } from 'preact/hooks';
import { Field } from '../../parts/Field.js';
import { Form } from '../../parts/Form.js';
import type { FaultEntry } from '../../state/rules.js';
import { changed } from '../../state/live.js';
import { post } from '../../world/workbench.js';
import { routes } from '../requests/same-call.js';
import { nameOf, type FaultKind } from './faults.js';
import { tellOfRule } from './rule-notice.js';

interface Props {
  readonly on: 'requests' | 'deliveries';
  readonly kinds: readonly FaultKind[];
  /** Faults of deliveries apply by event type, faults of requests by route. */
  readonly eventTypes?: readonly string[];
}

export function FaultForm({ on, kinds, eventTypes }: Props) {
  const [chosen, setChosen] = useState(kinds[0]?.kind ?? '');
  const kind = kinds.find((known) => known.kind === chosen);
  // Only creates can be listed late: that fault has one route.
  const scopes = eventTypes ?? (chosen === 'listing_lag' ? [] : routes);
  const isForAnyRoute = eventTypes === undefined && scopes.length > 0;
  return (
    <Form
      submit={
        <>
          Add rule<span class="unseen"> for {on}</span>
        </>
      }
      label={`Add a rule for ${on}`}
      onSubmit={async (fields) => {
        const fault = faultOf(fields, kind);
        await post(`faults?on=${on}`, fault);
        tellOfRule(`The rule is added: ${nameOf(fault)}.`);
        changed('fault');
      }}
    >
      <div class="form-row">
        <Field label="What happens">
          <select
            name="kind"
            value={chosen}
            onChange={({ currentTarget }) => {
              setChosen(currentTarget.value);
            }}
          >
            {kinds.map(({ kind: value, words }) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </Field>
        <Field label={eventTypes === undefined ? 'Route' : 'Event'}>
          <select name={eventTypes === undefined ? 'route' : 'eventType'}>
            <option value="">all</option>
            {isForAnyRoute && <option value="GET">GET: all reads</option>}
            {scopes.map((scope) => (
              <option key={scope}>{scope}</option>
            ))}
          </select>
        </Field>
      </div>
      <KindFields key={chosen} kind={kind} />
    </Form>
  );
}

function KindFields({ kind }: { readonly kind: FaultKind | undefined }) {
  return (
    <div class="fault-fields">
      {kind?.fields?.map(({ name, label, value, limits }) => (
        <Field key={name} label={label}>
          {limits === undefined ? (
            <input name={name} defaultValue={value} autocomplete="off" />
          ) : (
            <input name={name} type="number" {...limits} defaultValue={value} required />
          )}
        </Field>
      ))}
      <Field label="Times">
        <input name="times" type="number" min="1" placeholder="no end" />
      </Field>
      <Field label="Probability">
        <input name="probability" type="number" min="0" max="1" step="0.05" placeholder="always" />
      </Field>
    </div>
  );
}

/** Builds a fault; the library checks its fields. */
function faultOf(fields: Record<string, string>, kind: FaultKind | undefined): FaultEntry['fault'] {
  const numbers = [
    'times',
    'probability',
    ...(kind?.fields ?? []).flatMap(({ name, limits }) => (limits === undefined ? [] : [name])),
  ];
  const values: Record<string, unknown> = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, numbers.includes(name) ? Number(value) : value]),
  );
  return { ...values, kind: kind?.kind ?? '' };
}
