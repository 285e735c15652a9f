/**
 * Answers each direct message that contains a keyword once. Run it from a timer.
 *
 * npx tsx examples/programs/dm-responder.ts --account ID --answer 'price=It is 12 €.' --answer 'open=From 9 to 5.'
 *
 * It requires SOCIAL_PUBLISHING_BASE_URL, SOCIAL_PUBLISHING_ACCESS_KEY, and Node 22.13 or later (SQLite). Each message
 * that it answers is marked in `dm-responder.db` before the answer is sent. So an answer is sent once, even if a run crashed
 * right after the send, or if the list of conversations shows the answer late.
 */
import { parseArgs } from 'node:util';
import { logHooks, outcomeOf, SocialPublishing } from 'social-publishing';
import { createOnce, type Once } from 'social-publishing/publisher';
import { SqliteStore } from 'social-publishing/stores/sqlite';

const usage = `Usage: dm-responder --account ID --answer KEYWORD=TEXT… [--dry-run] [--verbose]

  --account ID           the Instagram account
  --answer KEYWORD=TEXT  the answer to a message with the keyword; the first match is sent
  --dry-run              prints the answers, and sends nothing
  --verbose              prints each request too
  --db FILE              the file for marks (default dm-responder.db): use the same file in each run

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
      db: { type: 'string', default: 'dm-responder.db' },
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
  const store = new SqliteStore(values.db);
  try {
    const once = values['dry-run'] ? undefined : createOnce({ store });
    const left = await answerAll(client, accountId, rules, once);
    if (left > 0) console.error(`${String(left)} unanswered: decide yourself.`);
    return left === 0 ? 0 : 2;
  } finally {
    await store.close();
  }
}

/**
 * Answers the last message of each conversation. Resolves to the number of messages that need an operator.
 * @param once undefined: a dry run
 */
async function answerAll(client: SocialPublishing, accountId: string, rules: readonly Rule[], once: Once | undefined) {
  let left = 0;
  const conversations = client.messages.listConversations({ platform: 'instagram', accountId, limit: 100 });
  for await (const page of conversations.pages()) {
    const { selfId } = page.response;
    // Without it, the account's own messages are not recognisable, and it might answer itself.
    if (selfId === undefined) throw new Error('The service did not return the ID of the account itself.');
    for (const { lastMessage: { id, from, text = '' } = {} } of page.items) {
      if (from?.id === undefined || from.id === selfId) continue;
      // Without an ID, a message cannot be marked.
      const rule = id === undefined ? undefined : rules.find(({ keyword }) => text.toLowerCase().includes(keyword));
      console.log(`${from.name ?? from.id}: ${text}\n    ${rule?.text ?? '(no answer: needs an operator)'}`);
      if (rule === undefined) left += 1;
      else if (once !== undefined) {
        const answer = { platform: 'instagram', accountId, recipientId: from.id, text: rule.text } as const;
        if (!(await isSent(once(`reply/${String(id)}`, answer, (answer) => client.messages.send(answer))))) left += 1;
      }
    }
  }
  return left;
}

function readRule(answer: string): Rule {
  const [, keyword = '', text = ''] = /^([^=]+)=(.+)$/s.exec(answer) ?? [];
  if (keyword.trim() === '' || text.trim() === '') throw new Error(`--answer must be KEYWORD=TEXT, not '${answer}'`);
  return { keyword: keyword.trim().toLowerCase(), text: text.trim() };
}

/** Returns whether the answer was sent, now or by an earlier run. Stops the program if nothing can be sent. */
async function isSent(sending: Promise<unknown>): Promise<boolean> {
  try {
    await sending;
    return true;
  } catch (error) {
    const outcome = outcomeOf(error);
    if (outcome === undefined) throw error;
    console.error(`    ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
