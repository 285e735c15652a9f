/** Resumes due intents and handles due events. vercel.json calls it each minute. */
import { handleDueEvents, publishing } from '../../lib/publishing.js';

export const maxDuration = 60;

export async function GET(request: Request): Promise<Response> {
  // Vercel sends this header if CRON_SECRET is set. Without the check, anyone could call the route.
  const secret = process.env.CRON_SECRET ?? '';
  if (secret === '' || request.headers.get('authorization') !== `Bearer ${secret}`)
    return new Response('unauthorized', { status: 401 });
  await handleDueEvents(Number(process.env.HANDLE_EVENTS_MS ?? 5_000));
  // While the service is down, a sweep waits: it ends before maxDuration, and the next run continues.
  await publishing().publisher.sweep({ limit: 20, signal: AbortSignal.timeout(40_000) });
  return Response.json({ ok: true });
}
