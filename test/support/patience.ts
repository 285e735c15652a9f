/** How long a test waits for what must happen: longer than any busy machine needs. */
export const patienceMs = 60_000;
