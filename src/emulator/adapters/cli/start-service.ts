import { existsSync } from 'node:fs';
import { SocialPublishingError } from '../../../core/errors.js';
import { createEmulator, type DemoSeed, type Emulator, type ScenarioStep } from '../../index.js';
import { listProblems, seedAll } from '../../seed/seed-file.js';
import { type Flags, FlagError } from './flags.js';
import { readJsonFile, readStateFile } from './state-file.js';
import type { Delivery } from '../../state/traffic.js';
import type { RequestLine } from '../node.js';

interface StartedService {
  readonly service: Emulator;
  readonly demo: DemoSeed | undefined;
  readonly remarks: readonly string[];
}

/**
 * Creates the emulator for the flags.
 * @throws FlagError if a file of the flags is missing or invalid
 */
export function startService(flags: Flags): StartedService {
  const { randomSeed: seed, log, stateFile } = flags;
  const { state, accessKey = 'test-key' } = stateFile === undefined ? {} : readStateFile(stateFile);
  // Without a state, the checks of the flags leave nothing to refuse.
  const service = under(`--state: '${stateFile ?? ''}' is unchanged.`, () =>
    createEmulator({ accessKey: flags.accessKey ?? accessKey, seed, state }),
  );
  if (log)
    service.observe((change) => {
      if (change.type === 'delivery') logDelivery(change.delivery);
    });
  if (state !== undefined) return { service, demo: undefined, remarks: ignored(flags) };
  const demo = plant(service, flags.seed ?? 'empty');
  if (flags.scenarioFile !== undefined) plan(service, flags.scenarioFile);
  return { service, demo, remarks: [] };
}

/** Runs a task. If it refuses its input, the message begins with the flag of the input. */
function under<Result>(flag: string, task: () => Result): Result {
  try {
    return task();
  } catch (error) {
    if (error instanceof SocialPublishingError) throw new FlagError(`${flag} ${error.message}`);
    throw error;
  }
}

function ignored({ stateFile = '', seed, scenarioFile }: Flags): string[] {
  const flags = [...(seed === undefined ? [] : ['--seed']), ...(scenarioFile === undefined ? [] : ['--scenario'])];
  if (flags.length === 0) return [];
  return [
    `${flags.join(' and ')} ${flags.length === 1 ? 'is' : 'are'} ignored: ${stateFile} contains a state, and the emulator continues from it.`,
  ];
}

function plant(service: Emulator, seed: string): DemoSeed | undefined {
  if (seed === 'empty') return undefined;
  if (seed === 'demo') return service.seed.demo();
  if (!existsSync(seed))
    throw new FlagError(`--seed must be empty, demo or a JSON file: the file '${seed}' does not exist.`);
  const problems = seedAll(service.seed, readJsonFile('--seed', seed));
  if (problems.length > 0) throw new FlagError(`--seed: '${seed}' is not valid: ${listProblems(problems)}`);
  return undefined;
}

function plan(service: Emulator, file: string): void {
  under(`--scenario: '${file}':`, () => {
    // `scenario` checks the contents of the file.
    service.scenario(readJsonFile('--scenario', file) as ScenarioStep[]);
  });
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function time(): string {
  return new Date().toTimeString().slice(0, 8);
}

export function logRequest({ method, path, result, ms }: RequestLine): void {
  print(`${time()}  ${method.padEnd(6)} ${path}  ${String(result)}  ${ms.toFixed(0)} ms`);
}

/** Logs an attempt of a delivery. */
function logDelivery({ eventType, url, status, latencyMs }: Delivery): void {
  const taken = latencyMs === undefined ? '' : `  ${String(latencyMs)} ms`;
  print(`${time()}  event  ${eventType} to ${new URL(url).origin}  ${String(status ?? 'no reply')}${taken}`);
}
