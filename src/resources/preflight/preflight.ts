import { throwIfAborted } from '../../core/flow/abort.js';
import { isErrorNamed } from '../../core/errors.js';
import { checkCallOptions, isFunction, optionsOf, ownOptions } from '../../core/call/options.js';
import { factsOf, requestChecks, type RequestOptions } from '../../core/call/transport.js';
import { greatest, isInstant, least } from '../../model/instant.js';
import { longestPage } from '../../schema/fields.js';
import { isKnownPlatform } from '../../model/known-values.js';
import type { CreatePostExtraBody, CreatePostFields } from '../../posts/create-fields.js';
import { getIfConnected, type Integration, type IntegrationDetail, type Integrations } from '../integrations.js';
import type { ListPostsQuery, Post, Posts } from '../../posts/posts.js';
import {
  aboutAccount,
  indexOf,
  notChecked,
  postsWithinMs,
  targetFindings,
  targetsOf,
  timeFindings,
  type CheckedAccount,
  type CheckedTarget,
  type KnownPost,
  type PreflightFinding,
} from './preflight-findings.js';
import { readCreate, scheduledTime, type ReadCreate } from '../../posts/read-create.js';

export type { PreflightCode, PreflightFinding } from './preflight-findings.js';

/** The part of a client that {@link preflight} reads with. A `SocialPublishing` has it. */
export interface PreflightClient {
  /** Posts. */
  readonly posts: Pick<Posts, 'list'>;
  /** Connected accounts. */
  readonly integrations: Pick<Integrations, 'list' | 'get'>;
}

/** Options of {@link preflight}. The others apply to each of its reads. */
export interface PreflightOptions extends Omit<RequestOptions, 'extraBody' | 'extraQuery'> {
  /** The `extraBody` that you will pass to `posts.create`. */
  readonly extraBody?: CreatePostExtraBody | undefined;
  /** Returns the service's time, in milliseconds since 1970. Default: the client's time, corrected by the replies' `Date`. */
  readonly now?: (() => number) | undefined;
}

/** The result of {@link preflight}. */
export interface PreflightResult {
  /** Whether no finding is an error. */
  readonly ok: boolean;
  /** Everything that was found. Empty: nothing. */
  readonly findings: readonly PreflightFinding[];
}

// A function: a bundle that does not call preflight drops it.
const preflightOptions = () =>
  optionsOf<PreflightOptions>('an option of preflight', { now: isFunction, ...requestChecks });

/** The API document does not say whether the bounds of a list are inclusive. */
const boundsMs = 60_000;

/**
 * Checks a post before you publish it. It reads accounts and posts, changes nothing, and costs no credit.
 *
 * It lists the accounts once and reads each account of the post. It lists the posts at most 24 hours from the post's time,
 * by creation and by schedule. A read that fails is a finding with the code `not_checked`, never an exception. For a
 * draft, it only checks the body and sends nothing.
 *
 * No finding is not proof: the API document states no limit of a text, and not how soon a post is listed.
 *
 * @example
 * ```ts
 * const { ok, findings } = await preflight(client, body);
 * for (const { severity, message } of findings) console.warn(severity, message);
 * if (ok) await client.posts.create(body);
 * ```
 * @param body the body that you will pass to `posts.create`
 * @throws {@link InvalidRequestError} an option is invalid. An invalid body is a finding
 */
export async function preflight(
  client: PreflightClient,
  body: CreatePostFields,
  options: PreflightOptions = {},
): Promise<PreflightResult> {
  const check = preflightOptions();
  checkCallOptions(check, options);
  const { extraBody, ...others } = ownOptions(check, options);
  const [findings = []] = await preflightAll(client, [{ body, extraBody }], others);
  return { ok: findings.every(({ severity }) => severity !== 'error'), findings };
}

/** A post of {@link preflightAll}. */
export interface PlannedPost {
  readonly body: CreatePostFields;
  readonly extraBody?: CreatePostExtraBody | undefined;
  /** How the findings of other posts name it. Without a name, it is not compared with them. */
  readonly name?: string;
}

/** Options of {@link preflightAll}. */
export interface PreflightAllOptions extends Omit<PreflightOptions, 'extraBody'> {
  /** Posts that are not sent yet. They are only compared with the others. */
  readonly waiting?: readonly PlannedPost[];
  /** All accounts, if they are listed already. */
  readonly integrations?: readonly Integration[] | undefined;
  /** The accounts of the posts, if they are read already. */
  readonly accounts?: readonly IntegrationDetail[] | undefined;
}

/** Checks several posts, also against each other, with the reads of one. Returns the findings of each. */
export async function preflightAll(
  client: PreflightClient,
  posts: readonly PlannedPost[],
  { now = factsOf(client).serviceNow, waiting = [], integrations, accounts: read, ...options }: PreflightAllOptions,
): Promise<PreflightFinding[][]> {
  throwIfAborted(options.signal);
  const plans = posts.map(planOf);
  const wanted = plans.flatMap(({ targets }) => targets);
  const reader = new Reader(client, options);
  const listed = await reader.listAccounts(wanted, read ?? integrations);
  const time = now();
  const timeOf = ({ create }: CheckedPlan) => (create.mode === 'publishNow' ? time : scheduledTime(create.request));
  const times = plans.flatMap((plan) => timeOf(plan) ?? []);
  const [accounts, found] = await Promise.all([
    read === undefined ? reader.readAccounts(wanted, listed) : new Map(read.map((account) => [account.id, account])),
    reader.listPosts(wanted, times, time),
  ]);
  const known = [...plans, ...waiting.map(planOf)].map((plan) => knownPost(plan, timeOf(plan)));
  const shared = { accounts, now: time, posts: indexOf([...found, ...known.filter((one) => one !== undefined)]) };
  return plans.map((plan, index) => {
    const { create, targets, hasExtras } = plan;
    const findings = create.issues.map(({ message, path }): PreflightFinding => ({ ...invalid, message, path }));
    if (create.mode === 'saveAsDraft') return findings;
    return [
      ...findings,
      ...timeFindings(scheduledTime(create.request), time),
      ...unknownTime(create),
      ...targetFindings({ ...shared, targets, own: known[index], at: timeOf(plan), hasExtras }),
      ...reader.findings(targets),
    ];
  });
}

/** The facts of a post that the checks need. A draft has no targets: it is sent to no platform. */
interface CheckedPlan {
  readonly name: string | undefined;
  readonly create: ReadCreate;
  readonly targets: readonly CheckedTarget[];
  readonly hasExtras: boolean;
}

function planOf({ name, body, extraBody }: PlannedPost): CheckedPlan {
  const create = readCreate(body, extraBody);
  const targets = create.mode === 'saveAsDraft' ? [] : targetsOf(create.request);
  return { name, create, targets, hasExtras: Object.keys(extraBody ?? {}).length > 0 };
}

/** Returns a post that is not created yet as a listed post. */
function knownPost({ name, create, targets }: CheckedPlan, at: number | undefined): KnownPost | undefined {
  if (name === undefined || at === undefined || !isInstant(at)) return undefined;
  const scheduledFor = new Date(at).toISOString();
  const post = { name, postId: '', status: 'scheduled', scheduledFor };
  return { ...post, platforms: [...targets], rawRequestBody: create.request };
}

const invalid = { code: 'invalid', severity: 'error' } as const;

/** With `extraBody.timezone`, a valid time may have no offset. */
function unknownTime(create: ReadCreate): PreflightFinding[] {
  const isRefused = create.issues.some(({ path }) => path[0] === 'scheduledFor');
  if (create.mode !== 'scheduledFor' || isRefused || scheduledTime(create.request) !== undefined) return [];
  const message =
    'scheduledFor is not a time with an offset, so it was not compared with the time of tokens and of other posts.';
  return [{ ...notChecked, message, path: ['scheduledFor'] }];
}

/** Reads what the checks need. A failed read becomes a finding. An abort rejects. */
class Reader {
  readonly #client: PreflightClient;
  readonly #options: RequestOptions;
  /** The reads that failed. Without an account, they concern all posts. */
  readonly #failures: { readonly message: string; readonly accountId: string | undefined }[] = [];

  constructor(client: PreflightClient, options: RequestOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Returns the findings about failed reads for a post with these targets. */
  findings(targets: readonly CheckedTarget[]): PreflightFinding[] {
    return [...targets, undefined].flatMap((target) =>
      this.#failures
        .filter(({ accountId }) => accountId === target?.accountId)
        .map(({ message }) => ({ ...(target && aboutAccount(target)), ...notChecked, message })),
    );
  }

  /** Returns the listed accounts of the targets. `undefined`: the list failed. */
  listAccounts(
    targets: readonly CheckedTarget[],
    integrations: readonly Integration[] | undefined,
  ): Promise<ReadonlyMap<string, Integration> | undefined> {
    const wanted = new Set(targets.map(({ accountId }) => accountId));
    const list = async () => {
      const found = new Map<string, Integration>();
      if (wanted.size === 0) return found;
      for await (const account of integrations ??
        this.#client.integrations.list({ limit: longestPage }, this.#options)) {
        if (wanted.has(account.id)) found.set(account.id, account);
        if (found.size === wanted.size) break;
      }
      return found;
    };
    return this.#read(list, 'The accounts could not be listed, so an account that is not connected may be overlooked');
  }

  async readAccounts(
    targets: readonly CheckedTarget[],
    listed: ReadonlyMap<string, Integration> | undefined,
  ): Promise<ReadonlyMap<string, CheckedAccount>> {
    const accounts = new Map<string, CheckedAccount>();
    const read = async (accountId: string) => {
      const known = listed?.get(accountId);
      const account = listed !== undefined && known === undefined ? 'missing' : await this.#readAccount(accountId);
      const state = account ?? known;
      if (state !== undefined) accounts.set(accountId, state);
    };
    await Promise.all([...new Set(targets.map(({ accountId }) => accountId))].map(read));
    return accounts;
  }

  /** Returns the posts of the targets' platforms around some times. */
  async listPosts(targets: readonly CheckedTarget[], times: readonly number[], now: number): Promise<Post[]> {
    const platform = [...new Set(targets.map((target) => target.platform).filter(isKnownPlatform))];
    const [from, to] = [least(times) - postsWithinMs - boundsMs, greatest(times) + postsWithinMs + boundsMs];
    if (platform.length === 0 || !isInstant(from) || !isInstant(to)) return [];
    const [after, before] = [new Date(from), new Date(to)];
    const posts = new Map<string, Post>();
    const list = (by: 'schedule' | 'creation', bounds: ListPostsQuery) =>
      this.#read(async () => {
        const query = { platform, limit: longestPage, ...bounds };
        for await (const post of this.#client.posts.list(query, this.#options)) posts.set(post.postId, post);
      }, `The posts could not be listed by ${by}, so an equal or a close post may be overlooked`);
    await Promise.all([
      list('schedule', { scheduledAfter: after, scheduledBefore: before }),
      // A post that is created later cannot be listed yet.
      from <= now ? list('creation', { createdAfter: after, createdBefore: before }) : undefined,
    ]);
    return [...posts.values()];
  }

  #readAccount(accountId: string): Promise<CheckedAccount | undefined> {
    const get = async () => (await getIfConnected(this.#client.integrations, accountId, this.#options)) ?? 'missing';
    return this.#read(get, `The account ${accountId} could not be read, so its token was not checked`, accountId);
  }

  /** Resolves to `undefined` if the read fails. */
  async #read<Result>(read: () => Promise<Result>, message: string, accountId?: string): Promise<Result | undefined> {
    try {
      return await read();
    } catch (error) {
      throwIfAborted(this.#options.signal);
      // A list refuses only an invalid option.
      if (accountId === undefined && isErrorNamed(error, 'InvalidRequestError')) throw error;
      const name = error instanceof Error ? error.name : 'an error';
      this.#failures.push({ message: `${message} (${name}).`, accountId });
      return undefined;
    }
  }
}
