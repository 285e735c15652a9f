import { withoutPasswords } from '../core/redactor.js';
import { ConfigurationError, InvalidRequestError, outcomeOf, SocialPublishingError } from '../index.js';
import { CommandError, UsageError, exitCodes, interruptedCode, type ExitCode } from './errors.js';
import type { Session } from './command.js';

/** The exit code of an error. A read never exits with 4. */
function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.exitCode;
  const isSetting = error instanceof ConfigurationError || error instanceof InvalidRequestError;
  // After a send, a store that fails isn't a wrong setting: its error has an unknown outcome.
  if (isSetting && outcomeOf(error) !== 'unknown') return exitCodes.usage;
  // Its class is part of the publisher, which most commands do not load.
  if (error instanceof Error && error.name === 'IntentConflictError') return exitCodes.rejected;
  switch (outcomeOf(error)) {
    case 'rejected':
      return exitCodes.rejected;
    case 'unknown':
      // An error of the client has the method.
      return (error as { method?: unknown }).method === 'GET' ? exitCodes.failure : exitCodes.inDoubt;
    default:
      return exitCodes.failure;
  }
}

export function reportError({ world, output, isRepeatable }: Session, error: unknown): ExitCode {
  const exitCode = world.signal.aborted ? interruptedCode(world.signal) : exitCodeOf(error);
  // An interrupted read changes nothing, so its outcome does not matter.
  const details = detailsOf(error, { mayBeUnknown: !isRepeatable || !world.signal.aborted });
  if (output.errorsAsJson) output.error(JSON.stringify({ error: { ...details, exitCode } }));
  else {
    output.error(details.message);
    if (details.next !== undefined) output.error(details.next);
  }
  return exitCode;
}

function detailsOf(error: unknown, { mayBeUnknown }: { readonly mayBeUnknown: boolean }) {
  if (!(error instanceof Error)) return { name: 'Error', message: messageOf(error) };
  // Some classes of errors have these fields; each is checked below.
  const { status, issues, next } = error as { status?: unknown; issues?: unknown; next?: unknown };
  const isInDoubt = mayBeUnknown && exitCodeOf(error) === exitCodes.inDoubt;
  return {
    name: error.name,
    message: messageOf(error),
    outcome: mayBeUnknown && error instanceof SocialPublishingError ? outcomeOf(error) : undefined,
    status: typeof status === 'number' ? status : undefined,
    issues: error instanceof InvalidRequestError || error instanceof UsageError ? issues : undefined,
    next: typeof next === 'string' ? next : isInDoubt ? checkFirst : undefined,
  };
}

const checkFirst = 'The outcome is unknown. Do not repeat it before you have checked the service.';

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return withoutPasswords(String(error));
  if (error.name === 'IntentConflictError') return conflictText(error.message);
  // If several addresses refuse, the error has no message.
  const inner: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return withoutPasswords(error.message || inner.map((one) => (one as Error).message).join('; ') || error.name);
}

/** The publisher's message names options of `createPublisher` as the way out. A user of the command has its flags. */
export function conflictText(message: string): string {
  const [problem = ''] = /^.*?Nothing was sent\./s.exec(message) ?? [message];
  const advice = problem.includes('belongs to the service')
    ? 'If it is the same service under a new URL, pass the first URL as --base-url: another key or --store would publish the ' +
      'post again. If it is another service, pass another --store.'
    : 'To repeat a publish, pass the stored body: intents show prints it. If this is another post, use another key: then ' +
      'both are published.';
  return `${withoutPasswords(problem)} ${advice}`;
}
