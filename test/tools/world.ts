import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { SocialPublishing, type ClientOptions } from '../../src/index.js';
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator/index.js';
import { createPublisher } from '../../src/publisher/create-publisher.js';
import { MemoryDurableStore, type DurableStore, type Publisher } from '../../src/publisher/index.js';
import {
  createTools,
  type Tool,
  type ToolCallOptions,
  type ToolResult,
  type ToolsOptions,
} from '../../src/tools/index.js';
import { noWaits } from '../publisher/world.js';
import { skippingTime } from '../policies/client.js';

export const start = Date.parse('2027-03-01T09:00:00Z');
export const accessKey = 'the-access-key-of-the-tests';
const minute = 60_000;

/** A service, an account on three platforms, and tools with everything that they can have. */
export class ToolWorld {
  readonly service: Emulator;
  readonly client: SocialPublishing;
  readonly store: DurableStore;
  readonly publisher: Publisher;
  readonly instagram: string;
  readonly facebook: string;
  readonly tiktok: string;
  time = start;

  constructor(options: { store?: DurableStore; client?: ClientOptions; emulator?: EmulatorOptions } = {}) {
    this.store = options.store ?? new MemoryDurableStore();
    const deliver = () => new Response(null, { status: 204 });
    this.service = createEmulator({ accessKey, now: () => start, deliver, ...options.emulator });
    this.instagram = this.service.seed.integration({
      platform: 'instagram',
      username: 'acme',
      displayName: 'Acme Ltd',
    }).id;
    this.facebook = this.service.seed.integration({ platform: 'facebook', username: 'acme.page' }).id;
    this.tiktok = this.service.seed.integration({ platform: 'tiktok', username: 'acme_clips' }).id;
    const now = () => this.time;
    const { fetch } = this.service;
    const base = { baseUrl: 'https://emulator.test', accessKey, fetch, maxRetries: 0, now };
    this.client = new SocialPublishing({ ...base, ...options.client }, skippingTime([]));
    this.publisher = createPublisher({ client: this.client, store: this.store, now }, noWaits);
  }

  tools(options: Partial<ToolsOptions> = {}): Tool[] {
    const { client, publisher, store } = this;
    return createTools({ client, publisher, store, ...options }).map(checked);
  }

  /** Makes a function that calls tools by name. */
  agent(options: Partial<ToolsOptions> = {}) {
    const tools = this.tools(options);
    return (name: string, input: unknown = {}, call?: ToolCallOptions): Promise<ToolResult> => {
      const tool = tools.find((candidate) => candidate.name === name);
      if (tool === undefined) throw new Error(`There is no tool ${name}.`);
      return tool.execute(input, call);
    };
  }

  /** Moves both clocks. */
  async pass(minutes: number): Promise<void> {
    this.time += minutes * minute;
    await this.service.clock.advance({ minutes });
  }

  /** The requests that may change something. */
  get writes() {
    return this.service.requests.filter(({ method }) => method !== 'GET');
  }
}

/** The same service and store, whose lists leave a field of each post out. */
export function withoutField(world: ToolWorld, field: string): ToolWorld {
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    const response = await world.service.fetch(input, init);
    return new Response((await response.text()).replaceAll(`"${field}":`, '"left_out":'), response);
  };
  return new ToolWorld({ store: world.store, client: { fetch } });
}

/** The input of create_post that publishes a post now. */
export const publishTo = (accountIds: readonly string[], key = 'k') => ({
  key,
  content: 'Hello',
  mode: 'publish',
  accountIds,
});

/** A world, and a function that calls its tools by name. */
export function toolWorld(options: Partial<ToolsOptions> = {}) {
  const world = new ToolWorld();
  return { world, agent: world.agent(options) };
}

/** Publishes the post with the key `k` to Instagram and TikTok, where it fails. Later posts there have a warning. */
export async function partial(world = new ToolWorld()): Promise<ToolWorld> {
  world.service.publishing.outcome({ platform: 'tiktok', error: 'media rejected' });
  await world.agent({ mode: 'publish' })('create_post', publishTo([world.instagram, world.tiktok]));
  await world.pass(5);
  world.service.publishing.outcome({ platform: 'tiktok', warning: 'late' });
  return world;
}

const ajv = new Ajv2020({ allowUnionTypes: true });
const checks = new Map<string, ValidateFunction>();

/** Compiles the schema of a tool at its first call: a test calls few of the tools. */
function checkOf({ name, outputSchema }: Tool): ValidateFunction {
  const check = checks.get(name) ?? ajv.compile(closed(outputSchema) as object);
  checks.set(name, check);
  return check;
}

/** Makes a tool whose results must have only the fields of its `outputSchema`, and must say what to do unless they are ok. */
function checked(tool: Tool): Tool {
  const { name } = tool;
  return {
    ...tool,
    execute: async (input, options) => {
      const result = await tool.execute(input, options);
      const check = checkOf(tool);
      if (!check(result)) throw new Error(`${name}: ${JSON.stringify([check.errors, result])}`);
      const { status, next = '' } = result;
      if (status !== 'ok' && next === '') throw new Error(`${name}: a dead end: ${JSON.stringify(result)}`);
      return result;
    },
  };
}

/** Closes each object of a schema, so that no result has a field that the schema does not name. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, closed(part)]));
  return 'properties' in value && 'type' in value && value.type === 'object'
    ? { additionalProperties: false, ...inner }
    : inner;
}

/** A time in UTC, some minutes after the start. */
export function inMinutes(minutes: number, from = start): string {
  return new Date(from + minutes * minute).toISOString();
}

/** Every string in a value, with the path to it. */
export function stringsIn(value: unknown, path: readonly string[] = []): { text: string; path: readonly string[] }[] {
  if (typeof value === 'string') return [{ text: value, path }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => stringsIn(inner, [...path, name]));
}
