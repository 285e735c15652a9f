/** Ratios, taken in one run: single times of a shared machine mean little. */
import { benchClient } from './client.js';

await benchClient();
