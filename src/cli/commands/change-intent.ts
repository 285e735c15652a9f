/** `intents cancel` and `intents edit`: they change an intent before it is sent. */
import type { Command } from 'commander';
import type { CreatePostBody } from '../../index.js';
import { endpoints } from '../../resources/endpoints.js';
import { exitCodes, type ExitCode } from '../errors.js';
import { addFields, fieldOptions } from '../fields.js';
import { confirmOnTerminal, goesOutSoon, readBody } from '../input.js';
import { newCommand, withConfirmation, withSendAhead } from '../options.js';
import { knownIntent, withNext, withPublisher } from '../publisher.js';
import { sendAheadOf, textOf, type Session, type Values } from '../session.js';

const postFields = fieldOptions(endpoints.posts.create);

export function cancelCommand(): Command {
  const command = newCommand(
    'cancel',
    'Abandons an intent that was not sent. It is never sent then.',
    'social-publishing intents cancel spring/teaser',
  ).argument('<key>');
  return withConfirmation(command.option('--dry-run', 'print the intent, and change nothing'));
}

export function editCommand(): Command {
  const command = newCommand(
    'edit',
    'Changes an intent that was not sent. Fields that you omit stay as they are.',
    "social-publishing intents edit spring/teaser --content 'Hello again'",
  ).argument('<key>');
  addFields(command, postFields);
  command
    .option('--body <file>', 'JSON with all fields of the new body; - for stdin')
    .option('--extra-body <file>', 'JSON with fields that the API document does not show');
  return withConfirmation(withSendAhead(command).option('--dry-run', 'print the new body, and change nothing'));
}

export function cancelIntent(session: Session, values: Values, [key = '']: readonly string[]): Promise<ExitCode> {
  return withPublisher(session, values, { calls: false, readsOnly: true }, async ({ publisher, store }) => {
    const { state } = await knownIntent(publisher, key, store);
    if (values['dryRun'] === true) {
      session.output.result({ dryRun: true, key, state });
      return exitCodes.success;
    }
    await confirmOnTerminal(session, values, `The intent '${key}' is ${state}. To cancel it cannot be undone.`);
    session.output.result(withNext(await publisher.cancel(key), values));
    return exitCodes.success;
  });
}

export function editIntent(session: Session, values: Values, [key = '']: readonly string[]): Promise<ExitCode> {
  return withPublisher(session, values, { calls: false, readsOnly: true }, async ({ publisher, store }) => {
    const known = await knownIntent(publisher, key, store);
    const passed = await readBody(session, values, postFields);
    const extraBody = passed.extraBody ?? known.extraBody;
    const fields = textOf(values, 'body') === undefined ? merged(known.body, passed.fields) : passed.fields;
    if (values['dryRun'] === true) {
      session.output.result({ dryRun: true, key, state: known.state, body: fields, extraBody });
      return exitCodes.success;
    }
    if (goesOutSoon({ ...fields, ...extraBody }, session.world.now()))
      await confirmOnTerminal(
        session,
        values,
        'With this content, the post goes out within 5 minutes, once a sweep sends it.',
      );
    // The publisher checks it.
    const body = fields as unknown as CreatePostBody;
    const intent = await publisher.edit(key, body, { extraBody, sendAheadMs: sendAheadOf(values) });
    session.output.result(withNext(intent, values));
    return exitCodes.success;
  });
}

/** A post has one mode, so a passed mode replaces the old one. */
function merged(body: CreatePostBody, passed: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { saveAsDraft, publishNow, scheduledFor, ...rest } = body;
  const modes = { saveAsDraft, publishNow, scheduledFor };
  const hasMode = Object.keys(modes).some((mode) => passed[mode] !== undefined);
  return { ...rest, ...(hasMode ? {} : modes), ...passed };
}
