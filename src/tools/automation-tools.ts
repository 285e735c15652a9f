import { automationEndpoints, createAutomationBodySchema } from '../resources/automations.js';
import { addsOnce } from './annotations.js';
import type { ToolDefinition } from './define-tool.js';
import { accountId, field, key, text } from './fields.js';
import { exceeds } from './plan-post.js';
import { defined, quoted, shortText } from './results.js';
import type { ToolContext } from './tool-context.js';
import { planOnce } from './write-once.js';

const automationFields = () => {
  const { postScope, keywords, publicReplies, dmMessage } = createAutomationBodySchema().shape;
  return {
    key: key('Names this automation. The same key again creates no second one.'),
    accountId: accountId('The ID of the account whose comments it answers, from list_accounts.'),
    name: field(text(), 'The name of the automation.'),
    postScope: field(postScope, 'Which posts it watches. any is the only documented value.'),
    keywords: field(keywords, 'The words in a comment that start it: an array of strings.'),
    publicReplies: field(publicReplies, 'The public replies: an array of strings.'),
    dmMessage: field(dmMessage, 'The direct message that the author of the comment gets.'),
  };
};

export function createAutomation(context: ToolContext): ToolDefinition<ReturnType<typeof automationFields>> {
  const { client, mode } = context;
  return {
    name: 'create_automation',
    title: 'Create a comment automation',
    description:
      `${automationEndpoints.create.summary} It answers strangers from then on, without further questions. The same key ` +
      'again creates nothing: it returns the result of the first call, or held if that is unknown.',
    annotations: addsOnce,
    fields: automationFields(),
    prepare: ({ key, ...input }) => {
      const texts = [...(input.publicReplies ?? []), ...(input.dmMessage === undefined ? [] : [input.dmMessage])].join(
        ' / ',
      );
      const account = shortText(input.accountId, 100);
      return planOnce(context, {
        tool: 'create_automation',
        key,
        body: defined(input),
        approval: exceeds('publish', mode)
          ? `Create the automation ${quoted(input.name)}, which answers comments on the account ${account}: ${quoted(texts)}.`
          : undefined,
        done: 'The automation was created.',
        send: async () => {
          const { id, status } = await client.automations.create(input);
          return defined({ automationId: id, automationStatus: status });
        },
      });
    },
  };
}
