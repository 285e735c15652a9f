/**
 * The whole service in memory: for tests, demos and development without network and without a key.
 *
 * @packageDocumentation
 */
export { createEmulator } from './create.js';
export { emulatorRoute, type EmulatorRouteOptions } from './adapters/route.js';
// These two files contain public types, and nothing else.
export type * from './emulator.js';
export type * from './state/fault-kinds.js';
export type { SeedFile } from './seed/seed-file.js';
export type { EmulatorOptions } from './options.js';
export type { DueEvent } from './service/due-event.js';
export type { FaultEntry } from './service/active-faults.js';
export type {
  ChangedPart,
  ClockChange,
  DeliveryChange,
  EmulatorChange,
  Observer,
  PostChange,
  RequestChange,
  ScenarioChange,
  StateChange,
} from './state/changes.js';
export type { Duration, EmulatorClock, RunningClock, RunOptions } from './service/clock.js';
export type { CutReply, Exchange, NoReply, WholeReply } from './http/request-record.js';
export type { PointInTime } from './state/time.js';
export type { Delivery, RequestRecord } from './state/traffic.js';
export type { OutcomeEntry, PublishingOutcome } from './service/outcomes.js';
export type { AutomationLogSeed, AutomationSeed, EligiblePostSeed } from './seed/automation.js';
export type { CommentSeed, ConversationSeed, MessageSeed } from './seed/conversation.js';
export type { DemoSeed } from './seed/demo/demo.js';
export type { StartedRun } from './handlers/automation-runs.js';
export type { AuthorizationFailure, EmulatorAccounts } from './seed/accounts.js';
export type {
  EmulatorIncoming,
  IncomingComment,
  IncomingCommentResult,
  IncomingMessage,
  IncomingMessageResult,
} from './seed/incoming.js';
export type { AccountMetricsSeed, PostMetricsSeed } from './seed/metrics.js';
export type { PostSeed, PostTargetSeed } from './seed/post.js';
export type { Seed } from './seed/seed.js';
export type {
  IntegrationSeed,
  SeededSelection,
  SelectableAccountSeed,
  SelectionSeed,
  SubscriptionSeed,
} from './seed/singles.js';
