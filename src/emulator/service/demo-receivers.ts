import type { DeliveryResult } from './receiver.js';

export const demoReceivers = {
  shop: 'https://shop.demo.invalid/webhooks',
  crm: 'https://crm.demo.invalid/webhooks',
  reports: 'https://reports.demo.invalid/webhooks',
} as const;

export const accepted = { ok: true, status: 200, reply: '{"received":true}', latencyMs: 42 } as const;
export const crashed = failed(500, '{"error":"database is locked"}', 187);
export const unavailable = failed(503, '{"error":"restarting"}', 95);
export const refusedSignature = failed(401, '{"error":"signature mismatch"}', 23);

function failed(status: number, reply: string, latencyMs: number): DeliveryResult {
  return { ok: false, status, error: `status ${String(status)}`, reply, latencyMs };
}

/**
 * Answers in place of a receiver of the demo: names under `.invalid` never resolve. The shop accepts every delivery, the
 * CRM none, and the reports accept each second attempt. Undefined for any other URL.
 */
export function demoReply(url: string, isFirst: boolean): DeliveryResult | undefined {
  switch (url) {
    case demoReceivers.shop:
      return accepted;
    case demoReceivers.crm:
      return crashed;
    case demoReceivers.reports:
      return isFirst ? unavailable : accepted;
    default:
      return undefined;
  }
}
