import { randomUUID } from 'node:crypto';
import { isBuiltin } from 'node:module';
import type { Command } from 'commander';
import { differingFields } from '../../core/json.js';
import { offsetOf } from '../../core/service-clock.js';
import { AuthenticationError, PermissionError, responseOf, type Post, type SocialPublishing } from '../../index.js';
import { instantOf } from '../../model/instant.js';
import type { Intent, Publisher } from '../../publisher/index.js';
import { connect, findAccessKey, findBaseUrl } from '../connection.js';
import { UsageError, exitCodes, type ExitCode } from '../errors.js';
import { confirm } from '../input.js';
import { intentLine, newCommand, onRun, type Session, storeOptions } from '../command.js';
import { counted, printable } from '../output.js';
import { Unreadable, withPublisher } from '../publisher.js';
import { messageOf } from '../report-error.js';
import { findStore, isMissing } from '../store.js';

/** Creates the command `doctor`: finds problems of the settings, and explains how to fix them. */
export function doctorCommand(session: Session): Command {
  const command = newCommand(
    'doctor',
    'Checks the environment, the access key, the clock, the accounts and the store. Without --probe, it sends only reads.',
    'social-publishing doctor',
  ).option('--probe', 'create one free draft, and show which guarantees of the publisher hold on this service');
  return onRun(command, session, runDoctor, 'confirmation', 'format', 'service', 'store');
}

/** One line of `doctor`. */
interface HealthFinding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'problem' | 'not checked';
  readonly message: string;
  /** How to fix it. */
  readonly fix?: string;
  /** The reason of a warning or a problem, for programs. Of an account: why it needs attention. */
  readonly code?: string;
  /** The ID of the account that has it. */
  readonly account?: string;
  /** The number of open intents of other services in the store. */
  readonly otherServices?: number;
  /** The number of open intents that are late. */
  readonly overdue?: number;
}

type Details = Omit<HealthFinding, 'check' | 'status'>;

/** The findings of one run, in the order of the checks. */
class Findings {
  readonly all: HealthFinding[] = [];

  ok(check: string, message: string): void {
    this.all.push({ check, status: 'ok', message });
  }

  warn(check: string, details: Details): void {
    this.all.push({ check, status: 'warning', ...details });
  }

  fail(check: string, details: Details): void {
    this.all.push({ check, status: 'problem', ...details });
  }

  skip(check: string, message: string): void {
    this.all.push({ check, status: 'not checked', message });
  }

  count(status: HealthFinding['status']): number {
    return this.all.filter((finding) => finding.status === status).length;
  }
}

async function runDoctor(session: Session): Promise<ExitCode> {
  const isProbe = session.isSet('probe');
  if (isProbe) await confirm(session, probeQuestion);
  const findings = new Findings();
  checkNode(findings);
  const isConfigured = await checkSettings(session, findings);
  if (isConfigured) await checkService(session, findings);
  if (findBaseUrl(session) !== undefined) await checkStore(session, findings);
  const isUsable = isConfigured && findings.all.every(({ code }) => code !== 'store_refused');
  if (isProbe && isUsable) await probe(session, findings);
  const [problems, warnings] = [findings.count('problem'), findings.count('warning')];
  const summary =
    problems + warnings === 0
      ? 'Everything is fine.'
      : `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}.`;
  const lines = findings.all.map((finding) => lineOf(finding, session.output.hasColour));
  session.output.result({ ok: problems === 0, findings: findings.all }, [...lines, summary].join('\n'));
  if (!isUsable) return exitCodes.usage;
  return problems === 0 ? exitCodes.success : exitCodes.failure;
}

const colours = { ok: 32, warning: 33, problem: 31, 'not checked': 0 };

function lineOf({ check, status, message, fix }: HealthFinding, hasColour: boolean): string {
  const mark = hasColour ? `\u001b[${colours[status]}m${status.padEnd(7)}\u001b[0m` : status.padEnd(7);
  return `${mark}  ${check}: ${printable(message)}${fix === undefined ? '' : `\n         ${printable(fix)}`}`;
}

function checkNode(findings: Findings): void {
  if (isBuiltin('node:sqlite')) findings.ok('node', process.version);
  else
    findings.warn('node', {
      code: 'no_sqlite',
      message: `${process.version} has no node:sqlite, so publish and campaign need a server as their store.`,
      fix: 'Use Node 22.13 or later, or set SOCIAL_PUBLISHING_STORE to postgres://… or redis://….',
    });
}

/** Returns whether the settings of the service are there. */
async function checkSettings(session: Session, findings: Findings): Promise<boolean> {
  const message = 'It is missing.';
  const baseUrl = findBaseUrl(session);
  if (baseUrl !== undefined) findings.ok('base URL', baseUrl);
  else {
    const fix = 'Set SOCIAL_PUBLISHING_BASE_URL, or pass --base-url URL.';
    findings.fail('base URL', { code: 'base_url_missing', message, fix });
  }
  const accessKey = await findAccessKey(session).catch((error: unknown) => {
    if (error instanceof UsageError) return undefined;
    throw error;
  });
  if (accessKey !== undefined) findings.ok('access key', `set, ${accessKey.length} characters`);
  else {
    const fix = 'Set SOCIAL_PUBLISHING_ACCESS_KEY, or pass --access-key-file FILE.';
    findings.fail('access key', { code: 'access_key_missing', message, fix });
  }
  return baseUrl !== undefined && accessKey !== undefined;
}

async function checkService(session: Session, findings: Findings): Promise<void> {
  try {
    const client = await connect(session);
    const before = session.world.now();
    const page = await client.integrations.list({ limit: 1 }, { signal: session.world.signal });
    const midway = (before + session.world.now()) / 2;
    findings.ok('service', 'It answers and accepts the access key.');
    checkClock(offsetOf(responseOf(page)?.headers, midway), findings);
    await checkAccounts(client, findings);
  } catch (error) {
    const message = messageOf(error);
    if (error instanceof AuthenticationError || error instanceof PermissionError) {
      const fix = 'Check that the key belongs to this base URL and was not revoked.';
      findings.fail('access key', { code: 'access_key_refused', message, fix });
    } else {
      const fix = 'Check the base URL and the network between this machine and the service.';
      findings.fail('service', { code: 'no_answer', message, fix });
    }
  }
}

/** `Date` has whole seconds, and a reply takes time. */
const toleratedSkewMs = 3_000;

function checkClock(offsetMs: number | undefined, findings: Findings): void {
  const skewMs = offsetMs === undefined ? 0 : Math.round(-offsetMs - 500);
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  if (offsetMs === undefined)
    findings.ok('clock', 'The service shows no current Date, so the clocks cannot be compared.');
  else if (Math.abs(skewMs) <= toleratedSkewMs) findings.ok('clock', 'It agrees with the service.');
  else
    findings.warn('clock', {
      code: 'clock_skew',
      message: `This machine is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the service.`,
      fix: 'Synchronize the clock (NTP). Times of posts and signatures of webhooks depend on it.',
    });
}

const accountFixes = {
  auth_failed: 'Connect the account again.',
  reconnect_required: 'Connect the account again.',
  expires_soon: 'Connect the account again before its token expires.',
  insights_unreadable: 'Grant the permission to read insights, then connect the account again.',
};

async function checkAccounts(client: SocialPublishing, findings: Findings): Promise<void> {
  let isFine = true;
  for await (const { integration, reason, expiresAt } of client.integrations.needingAttention({ withinDays: 7 })) {
    isFine = false;
    const { id, platform = 'account', username = id } = integration;
    const until = expiresAt === undefined ? '' : ` (${expiresAt})`;
    const message = `${platform} ${username}: ${reason}${until}`;
    const details = { code: reason, account: id, message, fix: accountFixes[reason] };
    if (reason === 'auth_failed' || reason === 'reconnect_required') findings.fail(`account ${id}`, details);
    else findings.warn(`account ${id}`, details);
  }
  if (isFine) findings.ok('accounts', 'None needs attention.');
}

async function checkStore(session: Session, findings: Findings): Promise<void> {
  try {
    const place = findStore(session);
    if (!place.isDefault && isMissing(session, place)) {
      const fix = 'publish and campaign create it. If it should have keys, correct --store or SOCIAL_PUBLISHING_STORE.';
      findings.warn('store', { code: 'store_missing', message: `There is no store ${place.name}.`, fix });
      return;
    }
    const onWarning = (message: string) => {
      findings.warn('store', { code: 'store_setting', message, fix: 'See docs/stores.md.' });
    };
    await withPublisher(session, { onWarning }, async ({ publisher, store }) => {
      findings.ok('store', store);
      await checkIntents(session, publisher, findings);
    });
  } catch (error) {
    const code = error instanceof UsageError ? 'store_refused' : 'store_failed';
    findings.fail('store', { code, message: messageOf(error), fix: 'Fix it, or pass --store.' });
  }
}

async function checkIntents(session: Session, publisher: Publisher, findings: Findings): Promise<void> {
  const unreadable = new Unreadable();
  const { byState, overdue, otherServices } = await unreadable.stats(publisher);
  const options = storeOptions(session);
  if (byState.in_doubt > 0)
    findings.warn('intents', {
      code: 'in_doubt',
      message: `${byState.in_doubt} in doubt.`,
      fix: `Run: social-publishing intents list --state in_doubt${options}`,
    });
  if (overdue > 0)
    findings.warn('intents', {
      code: 'overdue',
      message: `${counted(overdue, 'open intent')} 15 minutes or more after ${overdue === 1 ? 'its' : 'their'} time.`,
      fix: `A worker must sweep them regularly. Run: social-publishing intents list --overdue${options}`,
      overdue,
    });
  // No command with this base URL sends them or searches for them.
  if (otherServices > 0)
    findings.warn('intents', {
      code: 'other_services',
      message: `${counted(otherServices, 'open intent')} of other services. Commands with this base URL ignore them.`,
      fix:
        'Run: social-publishing intents sweep, with the base URL of their service. If it is the same service under a new ' +
        'URL, see "Two services or projects on one store" in docs/stores.md.',
      otherServices,
    });
  for (const message of unreadable.messages) findings.fail('intents', { code: 'unreadable', message });
}

// `--probe`: a draft shows which guarantees of the publisher hold on this service.

const probeQuestion =
  'doctor --probe creates one draft, without time and accounts. It is free, and it stays: the API document shows no delete. ' +
  'A later run with the same store creates nothing.';

async function probe(session: Session, findings: Findings): Promise<void> {
  try {
    await createDraft(session, findings);
  } catch (error) {
    // The key is stored: the same command creates no second draft.
    findings.fail('probe', { message: messageOf(error), fix: 'Fix it, then run the command again.' });
  }
}

async function createDraft(session: Session, findings: Findings): Promise<void> {
  // Another client does not know the draft, as a process that starts after a crash.
  const client = (await connect(session)).withOptions({ now: session.world.now });
  // Always the same for a service, so that a second run finds the draft of the first one.
  const key = `doctor-probe/${client.baseUrl}`;
  await withPublisher(session, { client: await connect(session) }, async ({ publisher }) => {
    const known = await publisher.get(key);
    const content = `Probe ${randomUUID()} of social-publishing doctor. You can delete this draft.`;
    const intent = await publisher.publish(key, known?.body ?? { content, saveAsDraft: true });
    const { postId, state, error, replayed } = intent;
    if (postId === undefined) {
      const message = `The draft was not created: ${state}${error === undefined ? '' : `: ${error.message}`}`;
      const fix = `Run: ${intentLine('show', key, storeOptions(session))}`;
      findings.fail('probe', { message, fix });
      return;
    }
    const origin = replayed ? 'The draft of an earlier run is used, and nothing was created' : 'One draft was created';
    findings.ok('probe', `${origin}: ${postId}. It stays at the service. Nothing is deleted.`);
    await checkDraft(client, { intent, postId }, findings);
  });
}

async function checkDraft(
  client: SocialPublishing,
  { intent, postId }: { readonly intent: Intent; readonly postId: string },
  findings: Findings,
): Promise<void> {
  const { body, replayed } = intent;
  const sentAt = new Date(intent.createdAt);
  const report = (check: string, isOk: boolean, message: string) => {
    if (isOk) findings.ok(check, message);
    else findings.warn(check, { message });
  };
  const first = await findDraft(client, sentAt, postId);
  const isListed = first.post !== undefined;
  const { status } = await client.posts.reconcile({ body, sentAt }, { waitMs: isListed ? 0 : listedWithinMs });
  const { post, hasDate } = isListed ? first : await findDraft(client, sentAt, postId);
  const difference = differenceOf(post, body);
  report('rawRequestBody', difference === undefined, difference ?? 'It is equal to the request.');
  report('Date', hasDate, hasDate ? 'Replies have a current Date.' : 'Replies have no current Date.');
  if (replayed) findings.skip('listing', 'Only the run that creates the draft can measure it.');
  else report('listing', isListed, isListed ? 'A new post is listed at once.' : lagOf(post));
  await checkFilter(client, post, findings);
  const isFound = status === 'created' && hasDate;
  report(
    'guarantee: an uncertain send is found',
    isFound,
    isFound
      ? 'It holds: a search with the rules of the publisher found the draft.'
      : `It is weaker: a search cannot prove which post is it (${hasDate ? status : 'no Date'}). Each uncertain send stays in_doubt ` +
          'until you decide.',
  );
  const resend = "guarantee: onMissing 'resend' sends nothing twice";
  if (isListed)
    findings.skip(resend, "A draft that is listed is not proof. The default, 'hold', does not depend on it.");
  else findings.warn(resend, { message: 'It is weaker: a post may be listed late. Set settleMs far above that time.' });
}

/** Returns the fields of `rawRequestBody` that differ from the request. `undefined`: none. */
function differenceOf(post: Post | undefined, body: Intent['body']): string | undefined {
  const kept = post?.rawRequestBody;
  if (kept === undefined) return 'It is missing.';
  const names = differingFields(kept, body);
  return names.length === 0 ? undefined : `It differs from the request: ${names.join(', ')}.`;
}

const listedWithinMs = 10_000;
const lagOf = (post: Post | undefined): string =>
  `A new post is not listed ${post === undefined ? `within ${listedWithinMs / 1_000} s` : 'at once'}.`;

const minute = 60_000;

/** Lists the drafts until it is there, at last without the filter by time, which may hide it. */
async function findDraft(client: SocialPublishing, sentAt: Date, postId: string) {
  let hasDate = false;
  for (const bounds of [{ createdAfter: new Date(Number(sentAt) - 10 * minute) }, {}])
    for await (const page of client.posts.list({ status: 'draft', limit: 100, ...bounds }).pages()) {
      hasDate ||= offsetOf(responseOf(page)?.headers, Number(sentAt)) !== undefined;
      const post = page.items.find((item) => item.postId === postId);
      if (post !== undefined) return { post, hasDate };
    }
  return { post: undefined, hasDate };
}

async function checkFilter(client: SocialPublishing, post: Post | undefined, findings: Findings): Promise<void> {
  const check = 'filter by time';
  const at = instantOf(post?.createdAt);
  if (post === undefined || at === undefined) {
    findings.skip(check, 'The list does not show when the draft was created.');
    return;
  }
  const isIn = async (bounds: { readonly createdAfter?: Date; readonly createdBefore?: Date }) => {
    const posts = await client.posts.list({ status: 'draft', limit: 100, ...bounds }).toArray();
    return posts.some(({ postId }) => postId === post.postId);
  };
  const [before, after] = [new Date(at - minute), new Date(at + minute)];
  if (!(await isIn({ createdAfter: before, createdBefore: after })))
    findings.warn(check, { message: 'A filter that includes the draft hides it, so a search does not find it.' });
  else if ((await isIn({ createdAfter: after })) || (await isIn({ createdBefore: before })))
    findings.warn(check, { message: 'It is ignored: each search reads the whole list.' });
  else findings.ok(check, 'It works.');
}
