import { throwIfAborted } from '../core/abort.js';
import { factsOf } from '../core/client-facts.js';
import { isErrorNamed } from '../core/errors.js';
import { checkCallOptions, isFunction, isObject, isSignal, optionsOf } from '../core/options.js';
import type { RequestOptions } from '../core/transport.js';
import { isInstant, momentOf } from '../model/instant.js';
import { isKnownPlatform } from '../model/platforms.js';
import type { CreatePostExtraBody, CreatePostFields } from '../posts/create-fields.js';
import type { Integration } from './integrations.js';
import type { Integrations, Posts } from './interfaces.js';
import type { ListPostsQuery, Post } from '../posts/post-shapes.js';
import {
  postsWithinMs,
  targetFindings,
  targetsOf,
  timeFindings,
  type CheckedAccount,
  type CheckedTarget,
  type PreflightFinding,
} from './preflight-findings.js';
import { readCreate, type ReadCreate } from '../posts/read-create.js';

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

const preflightOptions = optionsOf<Pick<PreflightOptions, 'extraBody' | 'now' | 'signal'>>(
  'an option of preflight',
  { extraBody: isObject, now: isFunction, signal: isSignal },
  'allowed',
);

/** The API document does not say whether the bounds of a list are inclusive. */
const boundsMs = 60_000;
/** The largest page that the API document allows. */
const pageSize = 100;

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
  checkCallOptions(preflightOptions, options);
  const { extraBody, now = factsOf(client).serviceNow, ...requestOptions } = options;
  throwIfAborted(requestOptions.signal);
  const create = readCreate(body, extraBody);
  const findings = create.issues.map(({ message, path }): PreflightFinding => ({ ...invalid, message, path }));
  if (create.mode === 'saveAsDraft') return resultOf(findings);

  const targets = targetsOf(create.request);
  const reader = new Reader(client, requestOptions);
  const listed = await reader.listAccounts(targets);
  const time = now();
  const at = create.mode === 'publishNow' ? time : scheduledTime(create);
  const [accounts, posts] = await Promise.all([
    reader.readAccounts(targets, listed),
    at === undefined ? [] : reader.listPosts(targets, at, time),
  ]);
  const hasExtras = Object.keys(extraBody ?? {}).length > 0;
  return resultOf([
    ...findings,
    ...timeFindings(scheduledTime(create), time),
    ...unknownTime(create),
    ...targetFindings({ targets, accounts, posts, now: time, at, hasExtras }),
    ...reader.failures,
  ]);
}

const invalid = { code: 'invalid', severity: 'error' } as const;
const notChecked = { code: 'not_checked', severity: 'warning' } as const;

function resultOf(findings: readonly PreflightFinding[]): PreflightResult {
  return { ok: findings.every(({ severity }) => severity !== 'error'), findings };
}

function scheduledTime({ mode, request }: ReadCreate): number | undefined {
  return mode === 'scheduledFor' ? momentOf(request.scheduledFor) : undefined;
}

/** With `extraBody.timezone`, a valid time may have no offset. */
function unknownTime(create: ReadCreate): PreflightFinding[] {
  const isRefused = create.issues.some(({ path }) => path[0] === 'scheduledFor');
  if (create.mode !== 'scheduledFor' || isRefused || scheduledTime(create) !== undefined) return [];
  const message =
    'scheduledFor is not a time with an offset, so it was not compared with the time of tokens and of other posts.';
  return [{ ...notChecked, message, path: ['scheduledFor'] }];
}

/** Reads what the checks need. A failed read becomes a finding. An abort rejects. */
class Reader {
  readonly failures: PreflightFinding[] = [];
  readonly #client: PreflightClient;
  readonly #options: RequestOptions;

  constructor(client: PreflightClient, options: RequestOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Returns the listed accounts of the targets. `undefined`: the list failed. */
  async listAccounts(targets: readonly CheckedTarget[]): Promise<ReadonlyMap<string, Integration> | undefined> {
    const wanted = new Set(targets.map(({ accountId }) => accountId));
    const found = new Map<string, Integration>();
    if (wanted.size === 0) return found;
    try {
      for await (const account of this.#client.integrations.list({ limit: pageSize }, this.#options)) {
        if (wanted.has(account.id)) found.set(account.id, account);
        if (found.size === wanted.size) break;
      }
      return found;
    } catch (error) {
      // This is the first read, so it reports an invalid option.
      if (isErrorNamed(error, 'InvalidRequestError')) throw error;
      this.#failed(error, 'The accounts could not be listed, so an account that is not connected may be overlooked');
      return undefined;
    }
  }

  async readAccounts(
    targets: readonly CheckedTarget[],
    listed: ReadonlyMap<string, Integration> | undefined,
  ): Promise<ReadonlyMap<string, CheckedAccount>> {
    const accounts = new Map<string, CheckedAccount>();
    const read = async (target: CheckedTarget) => {
      const { accountId } = target;
      const known = listed?.get(accountId);
      const account = listed !== undefined && known === undefined ? 'missing' : await this.#readAccount(target);
      const state = account ?? known;
      if (state !== undefined) accounts.set(accountId, state);
    };
    await Promise.all(targets.map(read));
    return accounts;
  }

  /** Returns the posts of the targets' platforms around a time. */
  async listPosts(targets: readonly CheckedTarget[], at: number, now: number): Promise<Post[]> {
    const platform = [...new Set(targets.map((target) => target.platform).filter(isKnownPlatform))];
    const [from, to] = [at - postsWithinMs - boundsMs, at + postsWithinMs + boundsMs];
    if (platform.length === 0 || !isInstant(from) || !isInstant(to)) return [];
    const [after, before] = [new Date(from), new Date(to)];
    const common = { platform, limit: pageSize };
    const queries: ListPostsQuery[] = [{ ...common, scheduledAfter: after, scheduledBefore: before }];
    // A post that is created later cannot be listed yet.
    if (from <= now) queries.push({ ...common, createdAfter: after, createdBefore: before });
    const posts = new Map<string, Post>();
    await Promise.all(queries.map((query) => this.#listInto(posts, query)));
    return [...posts.values()];
  }

  async #readAccount({ accountId, index, platform }: CheckedTarget): Promise<CheckedAccount | undefined> {
    try {
      return await this.#client.integrations.get(accountId, this.#options);
    } catch (error) {
      if (isErrorNamed(error, 'NotFoundError')) return 'missing';
      this.#failed(error, `The account ${accountId} could not be read, so its token was not checked`, {
        path: ['platforms', index, 'accountId'],
        ...(platform === undefined ? {} : { platform }),
        accountId,
      });
      return undefined;
    }
  }

  async #listInto(posts: Map<string, Post>, query: ListPostsQuery): Promise<void> {
    try {
      for await (const post of this.#client.posts.list(query, this.#options)) posts.set(post.postId, post);
    } catch (error) {
      const by = query.createdAfter === undefined ? 'schedule' : 'creation';
      this.#failed(error, `The posts could not be listed by ${by}, so an equal or a close post may be overlooked`);
    }
  }

  #failed(error: unknown, message: string, about: Partial<PreflightFinding> = {}): void {
    throwIfAborted(this.#options.signal);
    const name = error instanceof Error ? error.name : 'an error';
    this.failures.push({ ...about, ...notChecked, message: `${message} (${name}).` });
  }
}
