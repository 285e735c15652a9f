/** Ratios, taken in one run: single times of a shared machine mean little. */
import { benchClient } from './client.js';
import { benchEmulator } from './emulator.js';
import { benchWebhooks } from './webhooks.js';

await benchClient();
await benchEmulator();
await benchWebhooks();
