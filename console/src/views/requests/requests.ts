import { computed, signal } from '@preact/signals';
import { choiceOf, unknownId } from '../../state/choice.js';
import { onChanged } from '../../state/change-events.js';
import { isFailed } from '../../state/failures.js';
import { viewParam } from '../../state/route.js';
import { remote } from '../../state/remote.js';
import { gathered } from '../../state/timers.js';
import { changedDuringRead } from '../../state/changed-during-read.js';
import { changed } from '../../state/live.js';
import { get, remove } from '../../world/workbench.js';
import { decoded } from './decoded.js';

/** A request as the control API shows it. */
export interface RequestRecord {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly route?: string;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly at: string;
  readonly faults?: readonly string[];
  readonly status?: number;
  readonly reply?: {
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
}

/** The page shows at most this number of the latest requests. */
export const shownRequests = 2_000;
/** Requests within this time are shown together. */
const gatherMs = 100;

const known = new Map<string, RequestRecord>();

/** The requests, the latest first. */
export const requests = signal<readonly RequestRecord[]>([]);

const meanwhile = changedDuringRead();

/** Adds a request, and forgets the oldest one if there are too many. */
function keep(record: RequestRecord): void {
  known.set(record.id, record);
  const [oldest] = known.keys();
  if (known.size > shownRequests && oldest !== undefined) known.delete(oldest);
}

function show(): void {
  requests.value = [...known.values()].reverse();
}

const showSoon = gathered(gatherMs, show);

interface Listed {
  readonly listed: readonly RequestRecord[];
  readonly told: ReadonlySet<string>;
}

export const requestList = remote(
  () => meanwhile.during(async (told) => ({ listed: await list(), told })),
  [],
  remember,
);

async function list(): Promise<readonly RequestRecord[]> {
  const path = `requests?limit=${shownRequests}`;
  return (await get<{ readonly requests: readonly RequestRecord[] }>(path)).requests;
}

/** Forgets requests that are no longer listed, except requests reported since the read began. */
function remember({ listed, told }: Listed): void {
  const before = new Map(known);
  known.clear();
  for (const record of listed) keep(record);
  for (const id of told) {
    const record = before.get(id);
    if (record !== undefined) keep(record);
  }
  show();
}

onChanged('request', (detail) => {
  if (typeof detail !== 'object' || detail === null) {
    requestList.refresh();
    return;
  }
  // The emulator sends the whole request.
  const record = detail as RequestRecord;
  meanwhile.add(record.id);
  keep(record);
  showSoon();
});

export const search = viewParam('requests', 'q');
/** `failed`, `faults` or, for all, `''`. */
export const outcome = viewParam('requests', 'outcome');
export const method = viewParam('requests', 'method');
/** The first digit of the status, `none` or, for all, `''`. */
export const status = viewParam('requests', 'status');

function hasStatus({ status: code }: RequestRecord, wanted: string): boolean {
  return wanted === 'none' ? code === undefined : String(code ?? '').startsWith(wanted);
}

/** Returns the faults that applied to a request: `fault: status 503`. Undefined without faults. */
export function faultsOf({ faults = [], status: code }: RequestRecord): string | undefined {
  if (faults.length === 0) return undefined;
  // The kind `status` does not name the status.
  const names = faults.map((kind) => (kind === 'status' && code !== undefined ? `status ${code}` : kind));
  return `fault: ${names.join(', ')}`;
}

/** Returns the ID of the one post that a request created or changed. */
export function postOfRequest({ method, path, reply }: RequestRecord): string | undefined {
  const [, inPath] = /\/posts\/scheduled\/([^/]+)$/.exec(path) ?? [];
  if (inPath !== undefined) return decoded(inPath);
  if (method === 'GET') return undefined;
  const [, created] = /"postId":"([^"\\]+)"/.exec(reply?.body ?? '') ?? [];
  return created;
}

/** The length of a text in the row of a request. */
const excerptLength = 200;

/** Returns what distinguishes a request from others to its path: the text that it sends, or its query. */
export function excerptOf({ url, body }: RequestRecord): string {
  const fields: { readonly content?: unknown; readonly text?: unknown } =
    typeof body === 'object' && body !== null ? body : {};
  const text = fields.content ?? fields.text;
  if (typeof text === 'string') return text.slice(0, excerptLength);
  const start = url.indexOf('?');
  return start === -1 ? '' : decoded(url.slice(start)).slice(0, excerptLength);
}

/** The searched text of each request: method, path, query and bodies. */
const searchTexts = new WeakMap<RequestRecord, string>();

function searchTextOf(record: RequestRecord): string {
  const known = searchTexts.get(record);
  if (known !== undefined) return known;
  const { method, path, query, body, reply } = record;
  const parts = [
    method,
    path,
    JSON.stringify(query),
    body === undefined ? '' : JSON.stringify(body),
    reply?.body ?? '',
  ];
  const text = parts.join(' ').toLowerCase();
  searchTexts.set(record, text);
  return text;
}

export const shown = computed(() => {
  const words = search.value.trim().toLowerCase();
  const [wanted, ofMethod, ofStatus] = [outcome.value, method.value, status.value];
  return requests.value.filter(
    (record) =>
      (words === '' || searchTextOf(record).includes(words)) &&
      (ofMethod === '' || record.method === ofMethod) &&
      hasStatus(record, ofStatus) &&
      (wanted !== 'failed' || isFailed(record)) &&
      (wanted !== 'faults' || (record.faults ?? []).length > 0),
  );
});

/** The methods of the requests, and the chosen one. */
export const methods = computed(() => {
  const names = new Set(requests.value.map((record) => record.method));
  if (method.value !== '') names.add(method.value);
  return [...names].sort();
});

const requestId = viewParam('requests', 'request', 'push');

export const choice = choiceOf(shown, ({ id }) => id, requestId);

/** A request that the filter hides exists. */
export const unknownRequest = unknownId(requests, ({ id }) => id, requestId);

/** Removes all requests from the emulator's list. */
export async function clearRequests(): Promise<void> {
  await remove('requests');
  changed('request');
}
