import { MockLanguageModelV4 } from 'ai/test';

export interface ScriptedCall {
  readonly tool: string;
  readonly input: object;
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that makes these calls, one in each step, and then ends. */
export function scriptedModel(calls: readonly ScriptedCall[]): MockLanguageModelV4 {
  const steps = calls.entries();
  return new MockLanguageModelV4({
    doGenerate: () => {
      const { value } = steps.next();
      if (value === undefined) {
        const finishReason = { unified: 'stop' as const, raw: 'stop' };
        return Promise.resolve({ content: [{ type: 'text', text: 'Done.' }], finishReason, usage, warnings: [] });
      }
      const [index, { tool, input }] = value;
      const finishReason = { unified: 'tool-calls' as const, raw: 'tool_calls' };
      const call = { toolCallId: `call-${String(index)}`, toolName: tool, input: JSON.stringify(input) };
      return Promise.resolve({ content: [{ type: 'tool-call', ...call }], finishReason, usage, warnings: [] });
    },
  });
}
