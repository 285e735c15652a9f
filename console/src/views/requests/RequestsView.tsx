import { Empty } from '../../parts/Empty.js';
import { Field } from '../../parts/Field.js';
import { showPanelBelow } from '../../parts/focus.js';
import { FilterBar } from '../../parts/FilterBar.js';
import { FilterSelect } from '../../parts/FilterSelect.js';
import { Loading } from '../../parts/Loading.js';
import { Problem } from '../../parts/Problem.js';
import { UnknownItem } from '../../parts/UnknownItem.js';
import { View } from '../../parts/View.js';
import { ConfirmButton } from '../../parts/ConfirmButton.js';
import { VirtualList, type RowFocus } from '../../parts/VirtualList.js';
import { bound } from '../../state/choice.js';
import { partOf, quantity } from '../../state/quantity.js';
import { formatSecondsToday } from '../../state/clock.js';
import { useRemote } from '../../state/use-remote.js';
import {
  choice,
  clearRequests,
  excerptOf,
  faultsOf,
  method,
  methods,
  outcome,
  requestList,
  requests,
  search,
  shown,
  shownRequests,
  status,
  unknownRequest,
  type RequestRecord,
} from './requests.js';
import { RequestPanel } from './RequestPanel.js';
import { StatusCode } from './StatusCode.js';

export function RequestsView() {
  useRemote(requestList);
  return (
    <View
      title="Requests"
      about="Requests to the emulator and their replies, live. This page's own reads are omitted."
      actions={
        requests.value.length > 0 && <ConfirmButton label="Clear requests" confirm="Confirm" onPress={clearRequests} />
      }
    >
      <Problem text={requestList.error.value} retry={() => void requestList.reload()} />
      {requestList.value.value === undefined ? (
        <Loading error={requestList.error.value} />
      ) : requests.value.length === 0 ? (
        <Empty icon="requests" title="No requests yet">
          <p>
            Point a client here: its <code>baseUrl</code> is <code>{location.origin}</code>. Or write a post in this
            page.
          </p>
        </Empty>
      ) : (
        <>
          <Filters />
          <div class={choice.id.value === '' ? 'split split-fill' : 'split split-fill split-chosen'}>
            {shown.value.length > 0 && (
              <VirtualList
                items={shown.value}
                label="Requests, the latest first"
                keyOf={({ id }) => id}
                chosen={unknownRequest.value === undefined ? choice.chosen.value?.id : undefined}
                row={(record, focus) => <RequestRow record={record} focus={focus} />}
              />
            )}
            <Item />
          </div>
        </>
      )}
    </View>
  );
}

/** The chosen request. */
function Item() {
  const [{ value }, unknown] = [choice.chosen, unknownRequest.value];
  if (unknown !== undefined)
    return (
      <UnknownItem kind="request" id={unknown} choice={choice.id} list="All requests">
        It may have been cleared.
      </UnknownItem>
    );
  return value === undefined ? null : <RequestPanel record={value} />;
}

function countText(): string {
  const [some, all] = [shown.value.length, requests.value.length];
  const count = quantity(all, 'request', 'requests');
  const known = all >= shownRequests ? `the latest ${count}` : count;
  return some === 0 ? `No match in ${known}. Change the filter.` : partOf(some, all, known);
}

const outcomes = [
  ['failed', 'failed'],
  ['faults', 'hit by a fault'],
] as const;

const statuses = [
  ['2', '2xx'],
  ['4', '4xx'],
  ['5', '5xx'],
  ['none', 'no reply'],
] as const;

function Filters() {
  return (
    <FilterBar label="Filter requests" text={countText()} filters={[search, outcome, method, status]}>
      <Field label="Search">
        <input type="search" placeholder="Path, query or body" {...bound(search)} />
      </Field>
      <FilterSelect label="Outcome" value={outcome} options={outcomes} />
      <FilterSelect label="Method" value={method} options={methods.value.map((name) => [name, name])} />
      <FilterSelect label="Status" value={status} options={statuses} />
    </FilterBar>
  );
}

function RequestRow({ record, focus }: { readonly record: RequestRecord; readonly focus: RowFocus }) {
  const { id, method, path, at } = record;
  const faults = faultsOf(record);
  const excerpt = excerptOf(record);
  return (
    <button
      type="button"
      class="row request-row"
      {...focus}
      aria-current={unknownRequest.value === undefined && id === choice.chosen.value?.id}
      onClick={() => {
        choice.id.value = id;
        showPanelBelow('.request-panel');
      }}
    >
      <span class={`method method-${method.toLowerCase()}`}>{method}</span>
      <span class="line">{path}</span>
      <StatusCode record={record} />
      {(faults !== undefined || excerpt !== '') && (
        <span class="line row-text">
          {faults !== undefined && <span class="row-fault">{faults}</span>} <bdi>{excerpt}</bdi>
        </span>
      )}
      <span class="hint row-time">{formatSecondsToday(at)}</span>
    </button>
  );
}
