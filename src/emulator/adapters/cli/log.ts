import type { Delivery } from '../../service/traffic.js';
import type { RequestLine } from '../node.js';

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
export function logDelivery({ eventType, url, status, latencyMs }: Delivery): void {
  const taken = latencyMs === undefined ? '' : `  ${String(latencyMs)} ms`;
  print(`${time()}  event  ${eventType} to ${new URL(url).origin}  ${String(status ?? 'no reply')}${taken}`);
}
