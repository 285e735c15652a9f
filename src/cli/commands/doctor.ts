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

/** Adds a finding. A text is its message. */
type ReportFinding = (
  status: HealthFinding['status'],
  check: string,
  details: string | Omit<HealthFinding, 'check' | 'status'>,
) => void;

async function runDoctor(session: Session): Promise<ExitCode> {
  const isProbe = session.isSet('probe');
  if (isProbe) await confirm(session, probeQuestion);
  const findings: HealthFinding[] = [];
  const report: ReportFinding = (status, check, details) => {
    findings.push({ check, status, ...(typeof details === 'string' ? { message: details } : details) });
  };
  checkNode(report);
  const isConfigured = await checkSettings(session, report);
  if (isConfigured) await checkService(session, report);
  if (findBaseUrl(session) !== undefined) await checkStore(session, report);
  const isUsable = isConfigured && findings.every(({ code }) => code !== 'store_refused');
  if (isProbe && isUsable)
    await probe(session, report).catch((error: unknown) => {
      // The key is stored: the same command creates no second draft.
      report('problem', 'probe', { message: messageOf(error), fix: 'Fix it, then run the command again.' });
    });
  const count = (wanted: HealthFinding['status']) => findings.filter(({ status }) => status === wanted).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  const summary =
    problems + warnings === 0
      ? 'Everything is fine.'
      : `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}.`;
  const lines = findings.map((finding) => lineOf(finding, session.output.hasColour));
  session.output.result({ ok: problems === 0, findings }, [...lines, summary].join('\n'));
  if (!isUsable) return exitCodes.usage;
  return problems === 0 ? exitCodes.success : exitCodes.failure;
}

const colours = { ok: 32, warning: 33, problem: 31, 'not checked': 0 };

function lineOf({ check, status, message, fix }: HealthFinding, hasColour: boolean): string {
  const mark = hasColour ? `\u001b[${colours[status]}m${status.padEnd(7)}\u001b[0m` : status.padEnd(7);
  return `${mark}  ${check}: ${printable(message)}${fix === undefined ? '' : `\n         ${printable(fix)}`}`;
}

function checkNode(report: ReportFinding): void {
  if (isBuiltin('node:sqlite')) report('ok', 'node', process.version);
  else
    report('warning', 'node', {
      code: 'no_sqlite',
      message: `${process.version} has no node:sqlite, so publish and campaign need a server as their store.`,
      fix: 'Use Node 22.13 or later, or set SOCIAL_PUBLISHING_STORE to postgres://… or redis://….',
    });
}

/** Returns whether the settings of the service are there. */
async function checkSettings(session: Session, report: ReportFinding): Promise<boolean> {
  const baseUrl = findBaseUrl(session);
  const accessKey = await findAccessKey(session).catch((error: unknown) => {
    if (error instanceof UsageError) return undefined;
    throw error;
  });
  const message = 'It is missing.';
  if (baseUrl !== undefined) report('ok', 'base URL', baseUrl);
  else {
    const fix = 'Set SOCIAL_PUBLISHING_BASE_URL, or pass --base-url URL.';
    report('problem', 'base URL', { code: 'base_url_missing', message, fix });
  }
  if (accessKey !== undefined) report('ok', 'access key', `set, ${accessKey.length} characters`);
  else {
    const fix = 'Set SOCIAL_PUBLISHING_ACCESS_KEY, or pass --access-key-file FILE.';
    report('problem', 'access key', { code: 'access_key_missing', message, fix });
  }
  return baseUrl !== undefined && accessKey !== undefined;
}

async function checkService(session: Session, report: ReportFinding): Promise<void> {
  try {
    const client = await connect(session);
    const before = session.world.now();
    const page = await client.integrations.list({ limit: 1 }, { signal: session.world.signal });
    const midway = (before + session.world.now()) / 2;
    report('ok', 'service', 'It answers and accepts the access key.');
    checkClock(offsetOf(responseOf(page)?.headers, midway), report);
    await checkAccounts(client, report);
  } catch (error) {
    const message = messageOf(error);
    if (error instanceof AuthenticationError || error instanceof PermissionError) {
      const fix = 'Check that the key belongs to this base URL and was not revoked.';
      report('problem', 'access key', { code: 'access_key_refused', message, fix });
    } else {
      const fix = 'Check the base URL and the network between this machine and the service.';
      report('problem', 'service', { code: 'no_answer', message, fix });
    }
  }
}

/** `Date` has whole seconds, and a reply takes time. */
const toleratedSkewMs = 3_000;

function checkClock(offsetMs: number | undefined, report: ReportFinding): void {
  const skewMs = offsetMs === undefined ? 0 : Math.round(-offsetMs - 500);
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  if (offsetMs === undefined)
    report('ok', 'clock', 'The service shows no current Date, so the clocks cannot be compared.');
  else if (Math.abs(skewMs) <= toleratedSkewMs) report('ok', 'clock', 'It agrees with the service.');
  else
    report('warning', 'clock', {
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

async function checkAccounts(client: SocialPublishing, report: ReportFinding): Promise<void> {
  let isFine = true;
  for await (const { integration, reason, expiresAt } of client.integrations.needingAttention({ withinDays: 7 })) {
    isFine = false;
    const { id, platform = 'account', username = id } = integration;
    const until = expiresAt === undefined ? '' : ` (${expiresAt})`;
    const message = `${platform} ${username}: ${reason}${until}`;
    const status = reason === 'auth_failed' || reason === 'reconnect_required' ? 'problem' : 'warning';
    report(status, `account ${id}`, { code: reason, account: id, message, fix: accountFixes[reason] });
  }
  if (isFine) report('ok', 'accounts', 'None needs attention.');
}

async function checkStore(session: Session, report: ReportFinding): Promise<void> {
  try {
    const place = findStore(session);
    if (!place.isDefault && isMissing(session, place)) {
      const fix = 'publish and campaign create it. If it should have keys, correct --store or SOCIAL_PUBLISHING_STORE.';
      report('warning', 'store', { code: 'store_missing', message: `There is no store ${place.name}.`, fix });
      return;
    }
    const onWarning = (message: string) => {
      report('warning', 'store', { code: 'store_setting', message, fix: 'See docs/stores.md.' });
    };
    await withPublisher(session, { onWarning }, async ({ publisher, store }) => {
      report('ok', 'store', store);
      await checkIntents(session, publisher, report);
    });
  } catch (error) {
    const code = error instanceof UsageError ? 'store_refused' : 'store_failed';
    report('problem', 'store', { code, message: messageOf(error), fix: 'Fix it, or pass --store.' });
  }
}

async function checkIntents(session: Session, publisher: Publisher, report: ReportFinding): Promise<void> {
  const unreadable = new Unreadable();
  const { byState, overdue, otherServices } = await unreadable.stats(publisher);
  const options = storeOptions(session);
  if (byState.in_doubt > 0)
    report('warning', 'intents', {
      code: 'in_doubt',
      message: `${byState.in_doubt} in doubt.`,
      fix: `Run: social-publishing intents list --state in_doubt${options}`,
    });
  if (overdue > 0)
    report('warning', 'intents', {
      code: 'overdue',
      message: `${counted(overdue, 'open intent')} 15 minutes or more after ${overdue === 1 ? 'its' : 'their'} time.`,
      fix: `A worker must sweep them regularly. Run: social-publishing intents list --overdue${options}`,
      overdue,
    });
  // No command with this base URL sends them or searches for them.
  if (otherServices > 0)
    report('warning', 'intents', {
      code: 'other_services',
      message: `${counted(otherServices, 'open intent')} of other services. Commands with this base URL ignore them.`,
      fix:
        'Run: social-publishing intents sweep, with the base URL of their service. If it is the same service under a new ' +
        'URL, see "Two services or projects on one store" in docs/stores.md.',
      otherServices,
    });
  for (const message of unreadable.messages) report('problem', 'intents', { code: 'unreadable', message });
}

// `--probe`: a draft shows which guarantees of the publisher hold on this service.

const probeQuestion =
  'doctor --probe creates one draft, without time and accounts. It is free, and it stays: the API document shows no delete. ' +
  'A later run with the same store creates nothing.';

async function probe(session: Session, report: ReportFinding): Promise<void> {
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
      report('problem', 'probe', { message, fix });
      return;
    }
    const origin = replayed ? 'The draft of an earlier run is used, and nothing was created' : 'One draft was created';
    report('ok', 'probe', `${origin}: ${postId}. It stays at the service. Nothing is deleted.`);
    await checkDraft(client, { intent, postId }, report);
  });
}

async function checkDraft(
  client: SocialPublishing,
  { intent, postId }: { readonly intent: Intent; readonly postId: string },
  report: ReportFinding,
): Promise<void> {
  const { body, replayed } = intent;
  const sentAt = new Date(intent.createdAt);
  const statusOf = (isOk: boolean) => (isOk ? 'ok' : 'warning');
  const first = await findDraft(client, sentAt, postId);
  const isListed = first.post !== undefined;
  const { status } = await client.posts.reconcile({ body, sentAt }, { waitMs: isListed ? 0 : listedWithinMs });
  const { post, hasDate } = isListed ? first : await findDraft(client, sentAt, postId);
  const difference = differenceOf(post, body);
  report(statusOf(difference === undefined), 'rawRequestBody', difference ?? 'It is equal to the request.');
  report(statusOf(hasDate), 'Date', hasDate ? 'Replies have a current Date.' : 'Replies have no current Date.');
  if (replayed) report('not checked', 'listing', 'Only the run that creates the draft can measure it.');
  else report(statusOf(isListed), 'listing', isListed ? 'A new post is listed at once.' : lagOf(post));
  await checkFilter(client, post, report);
  const isFound = status === 'created' && hasDate;
  report(
    statusOf(isFound),
    'guarantee: an uncertain send is found',
    isFound
      ? 'It holds: a search with the rules of the publisher found the draft.'
      : `It is weaker: a search cannot prove which post is it (${hasDate ? status : 'no Date'}). Each uncertain send stays in_doubt ` +
          'until you decide.',
  );
  const resend = "guarantee: onMissing 'resend' sends nothing twice";
  if (isListed)
    report('not checked', resend, "A draft that is listed is not proof. The default, 'hold', does not depend on it.");
  else report('warning', resend, 'It is weaker: a post may be listed late. Set settleMs far above that time.');
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

async function checkFilter(client: SocialPublishing, post: Post | undefined, report: ReportFinding): Promise<void> {
  const check = 'filter by time';
  const at = instantOf(post?.createdAt);
  if (post === undefined || at === undefined) {
    report('not checked', check, 'The list does not show when the draft was created.');
    return;
  }
  const isIn = async (bounds: { readonly createdAfter?: Date; readonly createdBefore?: Date }) => {
    const posts = await client.posts.list({ status: 'draft', limit: 100, ...bounds }).toArray();
    return posts.some(({ postId }) => postId === post.postId);
  };
  const [before, after] = [new Date(at - minute), new Date(at + minute)];
  if (!(await isIn({ createdAfter: before, createdBefore: after })))
    report('warning', check, 'A filter that includes the draft hides it, so a search does not find it.');
  else if ((await isIn({ createdAfter: after })) || (await isIn({ createdBefore: before })))
    report('warning', check, 'It is ignored: each search reads the whole list.');
  else report('ok', check, 'It works.');
}
