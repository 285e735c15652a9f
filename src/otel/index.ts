/**
 * Spans and metrics for OpenTelemetry.
 *
 * @packageDocumentation
 */
export { otelHooks, type OtelHooksOptions } from './otel-hooks.js';
export {
  otelPublisher,
  type OtelPublisher,
  type OtelPublisherOptions,
  type WatchedPublisher,
  type WatchedStats,
} from './otel-publisher.js';
export type {
  AddedHeaders,
  AttemptInfo,
  CallInfo,
  ClientHooks,
  DriftInfo,
  EndInfo,
  ErrorInfo,
  ResponseEventInfo,
  RetryInfo,
  StartInfo,
} from '../core/call/hooks.js';
