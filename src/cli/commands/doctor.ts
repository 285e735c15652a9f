import type { Command } from 'commander';
import { newCommand, storeOptions, withOptions } from '../options.js';
import { confirm } from '../input.js';
import { probeFindings, probeQuestion, type HealthFinding } from './probe.js';
import { onRun, type Session } from '../session.js';
import { isBuiltin } from 'node:module';
import { offsetOf } from '../../core/service-clock.js';
import { AuthenticationError, PermissionError, responseOf, type SocialPublishing } from '../../index.js';
import type { Publisher } from '../../publisher/index.js';
import { UsageError, exitCodes, type ExitCode } from '../errors.js';
import { connect, findAccessKey, findBaseUrl } from '../connection.js';
import { Unreadable, withPublisher } from '../publisher.js';
import { findStore, isMissing } from '../store.js';
import { messageOf } from '../report-error.js';
import { counted, printable } from '../output.js';

/** Creates the command `doctor`: finds problems of the settings, and explains how to fix them. */
export function doctorCommand(session: Session): Command {
  const command = newCommand(
    'doctor',
    'Checks the environment, the access key, the clock, the accounts and the store. Without --probe, it sends only reads.',
    'social-publishing doctor',
  ).option('--probe', 'create one free draft, and show which guarantees of the publisher hold on this service');
  return onRun(withOptions(command, 'confirmation', 'format', 'service', 'store'), session, runDoctor);
}

async function runDoctor(session: Session): Promise<ExitCode> {
  const isProbe = session.isSet('probe');
  if (isProbe) await confirm(session, probeQuestion);
  const settings = await settingFindings(session);
  const isConfigured = settings.every(({ status }) => status === 'ok');
  const service = isConfigured ? await serviceFindings(session) : [];
  const store = findBaseUrl(session) === undefined ? [] : await storeFindings(session);
  const isUsable = isConfigured && store.every(({ code }) => code !== 'store_refused');
  const findings = [nodeFinding(), ...settings, ...service, ...store];
  if (isProbe && isUsable) findings.push(...(await probe(session)));
  const problems = findings.filter(({ status }) => status === 'problem').length;
  const warnings = findings.filter(({ status }) => status === 'warning').length;
  const summary =
    problems + warnings === 0
      ? 'Everything is fine.'
      : `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}.`;
  const lines = findings.map((finding) => lineOf(finding, session.output.hasColour));
  session.output.result({ ok: problems === 0, findings }, [...lines, summary].join('\n'));
  if (!isUsable) return exitCodes.usage;
  return problems === 0 ? exitCodes.success : exitCodes.failure;
}

async function probe(session: Session): Promise<HealthFinding[]> {
  try {
    return await probeFindings(session);
  } catch (error) {
    // The key is stored: the same command creates no second draft.
    return [
      { check: 'probe', status: 'problem', message: messageOf(error), fix: 'Fix it, then run the command again.' },
    ];
  }
}

const colours = { ok: 32, warning: 33, problem: 31, 'not checked': 0 };

function lineOf({ check, status, message, fix }: HealthFinding, hasColour: boolean): string {
  const mark = hasColour ? `\u001b[${colours[status]}m${status.padEnd(7)}\u001b[0m` : status.padEnd(7);
  return `${mark}  ${check}: ${printable(message)}${fix === undefined ? '' : `\n         ${printable(fix)}`}`;
}

function nodeFinding(): HealthFinding {
  if (isBuiltin('node:sqlite')) return { check: 'node', status: 'ok', message: process.version };
  return {
    check: 'node',
    status: 'warning',
    code: 'no_sqlite',
    message: `${process.version} has no node:sqlite, so publish and campaign need a server as their store.`,
    fix: 'Use Node 22.13 or later, or set SOCIAL_PUBLISHING_STORE to postgres://… or redis://….',
  };
}

async function settingFindings(session: Session): Promise<HealthFinding[]> {
  const baseUrl = findBaseUrl(session);
  const accessKey = await findAccessKey(session).catch((error: unknown) => {
    if (error instanceof UsageError) return undefined;
    throw error;
  });
  const settings = [
    {
      check: 'base URL',
      message: baseUrl,
      code: 'base_url_missing',
      fix: 'Set SOCIAL_PUBLISHING_BASE_URL, or pass --base-url URL.',
    },
    {
      check: 'access key',
      message: accessKey && `set, ${accessKey.length} characters`,
      code: 'access_key_missing',
      fix: 'Set SOCIAL_PUBLISHING_ACCESS_KEY, or pass --access-key-file FILE.',
    },
  ];
  return settings.map(({ check, message, code, fix }) =>
    message === undefined
      ? { check, status: 'problem', code, message: 'It is missing.', fix }
      : { check, status: 'ok', message },
  );
}

async function serviceFindings(session: Session): Promise<HealthFinding[]> {
  try {
    const client = await connect(session);
    const before = session.world.now();
    const page = await client.integrations.list({ limit: 1 }, { signal: session.world.signal });
    const midway = (before + session.world.now()) / 2;
    const offsetMs = offsetOf(responseOf(page)?.headers, midway);
    const accepted: HealthFinding = {
      check: 'service',
      status: 'ok',
      message: 'It answers and accepts the access key.',
    };
    return [accepted, clockFinding(offsetMs), ...(await accountFindings(client))];
  } catch (error) {
    const isKey = error instanceof AuthenticationError || error instanceof PermissionError;
    return [
      {
        check: isKey ? 'access key' : 'service',
        status: 'problem',
        code: isKey ? 'access_key_refused' : 'no_answer',
        message: messageOf(error),
        fix: isKey
          ? 'Check that the key belongs to this base URL and was not revoked.'
          : 'Check the base URL and the network between this machine and the service.',
      },
    ];
  }
}

/** `Date` has whole seconds, and a reply takes time. */
const toleratedSkewMs = 3_000;

function clockFinding(offsetMs: number | undefined): HealthFinding {
  if (offsetMs === undefined)
    return {
      check: 'clock',
      status: 'ok',
      message: 'The service shows no current Date, so the clocks cannot be compared.',
    };
  const skewMs = Math.round(-offsetMs - 500);
  if (Math.abs(skewMs) <= toleratedSkewMs)
    return { check: 'clock', status: 'ok', message: 'It agrees with the service.' };
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  return {
    check: 'clock',
    status: 'warning',
    code: 'clock_skew',
    message: `This machine is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the service.`,
    fix: 'Synchronize the clock (NTP). Times of posts and signatures of webhooks depend on it.',
  };
}

const accountFixes = {
  auth_failed: 'Connect the account again.',
  reconnect_required: 'Connect the account again.',
  expires_soon: 'Connect the account again before its token expires.',
  insights_unreadable: 'Grant the permission to read insights, then connect the account again.',
};

async function accountFindings(client: SocialPublishing): Promise<HealthFinding[]> {
  const findings: HealthFinding[] = [];
  for await (const { integration, reason, expiresAt } of client.integrations.needingAttention({ withinDays: 7 })) {
    const { id, platform = 'account', username = id } = integration;
    const until = expiresAt === undefined ? '' : ` (${expiresAt})`;
    findings.push({
      check: `account ${id}`,
      code: reason,
      account: id,
      status: reason === 'auth_failed' || reason === 'reconnect_required' ? 'problem' : 'warning',
      message: `${platform} ${username}: ${reason}${until}`,
      fix: accountFixes[reason],
    });
  }
  return findings.length > 0 ? findings : [{ check: 'accounts', status: 'ok', message: 'None needs attention.' }];
}

async function storeFindings(session: Session): Promise<HealthFinding[]> {
  const findings: HealthFinding[] = [];
  const onWarning = (message: string) =>
    findings.push({ check: 'store', status: 'warning', code: 'store_setting', message, fix: 'See docs/stores.md.' });
  try {
    const place = findStore(session);
    if (!place.isDefault && isMissing(session, place)) {
      const fix = 'publish and campaign create it. If it should have keys, correct --store or SOCIAL_PUBLISHING_STORE.';
      const message = `There is no store ${place.name}.`;
      return [{ check: 'store', status: 'warning', code: 'store_missing', message, fix }];
    }
    await withPublisher(session, { onWarning }, async ({ publisher, store }) => {
      findings.unshift({ check: 'store', status: 'ok', message: store });
      findings.push(...(await intentFindings(session, publisher)));
    });
  } catch (error) {
    findings.push({
      check: 'store',
      status: 'problem',
      code: error instanceof UsageError ? 'store_refused' : 'store_failed',
      message: messageOf(error),
      fix: 'Fix it, or pass --store.',
    });
  }
  return findings;
}

async function intentFindings(session: Session, publisher: Publisher): Promise<HealthFinding[]> {
  const unreadable = new Unreadable();
  const { byState, overdue, otherServices } = await unreadable.stats(publisher);
  const warnings: [count: number, warning: Omit<HealthFinding, 'check' | 'status'>][] = [
    [
      byState.in_doubt,
      {
        code: 'in_doubt',
        message: `${byState.in_doubt} in doubt.`,
        fix: `Run: social-publishing intents list --state in_doubt${storeOptions(session)}`,
      },
    ],
    [
      overdue,
      {
        code: 'overdue',
        message: `${counted(overdue, 'open intent')} 15 minutes or more after ${overdue === 1 ? 'its' : 'their'} time.`,
        fix: `A worker must sweep them regularly. Run: social-publishing intents list --overdue${storeOptions(session)}`,
        overdue,
      },
    ],
    // No command with this base URL sends them or searches for them.
    [
      otherServices,
      {
        code: 'other_services',
        message: `${counted(otherServices, 'open intent')} of other services. Commands with this base URL ignore them.`,
        fix:
          'Run: social-publishing intents sweep, with the base URL of their service. If it is the same service under a new ' +
          'URL, see "Two services or projects on one store" in docs/stores.md.',
        otherServices,
      },
    ],
  ];
  return [
    ...warnings
      .filter(([count]) => count > 0)
      .map(([, warning]): HealthFinding => ({ check: 'intents', status: 'warning', ...warning })),
    ...Array.from(unreadable.messages, (message): HealthFinding => ({
      check: 'intents',
      status: 'problem',
      code: 'unreadable',
      message,
    })),
  ];
}
