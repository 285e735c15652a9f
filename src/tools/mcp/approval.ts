import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  type ClientCapabilities,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ApprovalRequest, Approve } from '../tool.js';

/** The time that a user has to answer. The default of the protocol's requests is a minute. */
const answerTimeoutMs = 600_000;

/** The name of the question in a result that asks for input. */
const question = 'approval';

export interface Asking {
  /** `undefined`: the client cannot ask. */
  readonly approve: Approve | undefined;
  /** Returns the result that asks the client for an answer, if the call ended because one is missing. */
  readonly missingAnswer: () => ReturnType<typeof inputRequired> | undefined;
}

/** Asks by elicitation, if the client supports it. */
export function askingBy(server: McpServer, context: ServerContext): Asking {
  const { envelope } = context.mcpReq;
  // Revision 2026-07-28 sends the capabilities with each request.
  if (envelope !== undefined) {
    // The types of the envelope leave out its reserved keys.
    const declared = (envelope as Readonly<Record<string, unknown>>)[CLIENT_CAPABILITIES_META_KEY];
    return askingByResult(context, (declared as ClientCapabilities | undefined)?.elicitation);
  }
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only source of the capabilities in revision 2025-11-25
  if (server.server.getClientCapabilities()?.elicitation?.form === undefined) return cannotAsk;
  const approve: Approve = async ({ summary }) => {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- revision 2025-11-25 has no other way
    const answer = await context.mcpReq.elicitInput(form(summary), {
      timeout: answerTimeoutMs,
      signal: context.mcpReq.signal,
    });
    return isYes(answer);
  };
  return { approve, missingAnswer: () => undefined };
}

const cannotAsk: Asking = { approve: undefined, missingAnswer: () => undefined };

/** The client asks the user after the call, then repeats the call with the answer. */
function askingByResult({ mcpReq }: ServerContext, capability: { readonly form?: unknown } | undefined): Asking {
  if (capability === undefined || (Object.keys(capability).length > 0 && capability.form === undefined))
    return cannotAsk;
  let asked: string | undefined;
  const approve: Approve = (request) => {
    const answer = mcpReq.inputResponses?.[question];
    const state = stateOf(request);
    // An answer belongs to the question that was asked: a time can pass the limit in between.
    if (answer !== undefined && mcpReq.requestState() === state) return isYes(answer);
    asked = state;
    asking = request.summary;
    return false;
  };
  let asking = '';
  const missingAnswer = () =>
    asked === undefined
      ? undefined
      : inputRequired({ inputRequests: { [question]: inputRequired.elicit(form(asking)) }, requestState: asked });
  return { approve, missingAnswer };
}

function stateOf({ tool, input, summary }: ApprovalRequest): string {
  return JSON.stringify([tool, input, summary]);
}

function form(message: string) {
  // No field: accepting the form is the answer.
  return { mode: 'form' as const, message, requestedSchema: { type: 'object' as const, properties: {} } };
}

/** Only an accepted form approves the call. A client may add its own fields: a field with `false` refuses it. */
function isYes(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null) return false;
  const { action, content } = answer as { action?: unknown; content?: unknown };
  const values: unknown[] = typeof content === 'object' && content !== null ? Object.values(content) : [];
  return action === 'accept' && !values.includes(false);
}
