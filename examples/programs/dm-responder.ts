/**
 * Answers each direct message that contains a keyword once. Run it from a timer.
 *
 * npx tsx examples/programs/dm-responder.ts --account ID --answer 'price=It is 12 €.' --answer 'open=From 9 to 5.'
 *
 * It requires SOCIAL_PUBLISHING_BASE_URL and SOCIAL_PUBLISHING_ACCESS_KEY. It stores nothing: a conversation is
 * answered if the account wrote its last message, even if an earlier run crashed right after the send.
 */
import { parseArgs } from 'node:util';
import { logHooks, SocialPublishing, SocialPublishingError } from 'social-publishing';

const usage = `Usage: dm-responder --account ID --answer KEYWORD=TEXT… [--dry-run] [--verbose]

  --account ID           the Instagram account
  --answer KEYWORD=TEXT  the answer to a message with the keyword; the first match is sent
  --dry-run              prints the answers, and sends nothing
  --verbose              prints each request too

Exits with 0 if all messages are answered, 2 if some need an operator, 1 if it failed.`;

interface Rule {
  readonly keyword: string;
  readonly text: string;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      account: { type: 'string' },
      answer: { type: 'string', multiple: true, default: [] },
      'dry-run': { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { account: accountId } = values;
  if (values.help || accountId === undefined || values.answer.length === 0) {
    (values.help ? console.log : console.error)(usage);
    return values.help ? 0 : 1;
  }
  const rules = values.answer.map(readRule);
  const client = new SocialPublishing({ hooks: logHooks(console, { level: values.verbose ? 'info' : 'error' }) });
  let left = 0;
  for await (const page of client.messages
    .listConversations({ platform: 'instagram', accountId, limit: 100 })
    .pages()) {
    const { selfId } = page.response;
    // Without it, the account's own messages are not recognisable, and it might answer itself.
    if (selfId === undefined) throw new Error('The service did not return the ID of the account itself.');
    for (const { lastMessage: { from, text = '' } = {} } of page.items) {
      if (from?.id === undefined || from.id === selfId) continue;
      const rule = rules.find(({ keyword }) => text.toLowerCase().includes(keyword));
      console.log(`${from.name ?? from.id}: ${text}\n    ${rule?.text ?? '(no answer: needs an operator)'}`);
      if (rule === undefined) left += 1;
      else if (!values['dry-run'] && !(await send(client, accountId, from.id, rule.text))) left += 1;
    }
  }
  if (left > 0) console.error(`${String(left)} unanswered: decide yourself.`);
  return left === 0 ? 0 : 2;
}

function readRule(answer: string): Rule {
  const [, keyword = '', text = ''] = /^([^=]+)=(.+)$/s.exec(answer) ?? [];
  if (keyword.trim() === '' || text.trim() === '') throw new Error(`--answer must be KEYWORD=TEXT, not '${answer}'`);
  return { keyword: keyword.trim().toLowerCase(), text: text.trim() };
}

/** Returns whether the answer was sent. If that is unknown, the next run sees it by the conversation's last message. */
async function send(client: SocialPublishing, accountId: string, recipientId: string, text: string): Promise<boolean> {
  try {
    await client.messages.send({ platform: 'instagram', accountId, recipientId, text });
    return true;
  } catch (error) {
    if (!(error instanceof SocialPublishingError)) throw error;
    console.error(`    ${error.outcome === 'unknown' ? 'may have been sent' : 'was not sent'}: ${error.message}`);
    return false;
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
