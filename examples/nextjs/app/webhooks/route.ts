/** Stores each event and answers 200. The cron route handles it. To handle it at once, call `handleDueEvents` in `after()`. */
import { publishing } from '../../lib/publishing.js';

export function POST(request: Request): Promise<Response> {
  return publishing().inbox.fetch(request);
}
