/** Replacements of `fetch` that need no cast. */
import nodeFetch from 'node-fetch';
import { SocialPublishing } from 'social-publishing';
import { createEmulator } from 'social-publishing/emulator';
import { Agent, fetch as undiciFetch } from 'undici';

const given = { baseUrl: 'https://api.example.com', accessKey: 'key' };
const dispatcher = new Agent();

new SocialPublishing({ ...given, fetch: globalThis.fetch });
new SocialPublishing({ ...given, fetch: undiciFetch });
new SocialPublishing({ ...given, fetch: nodeFetch });
new SocialPublishing({ ...given, fetch: createEmulator().fetch });
new SocialPublishing({ ...given, fetch: undefined });

new SocialPublishing({ ...given, fetch: (url, init) => fetch(url, init) });
new SocialPublishing({ ...given, fetch: (url, init) => fetch(new URL(url), { ...init, cache: 'no-store' }) });
new SocialPublishing({ ...given, fetch: (url, init) => undiciFetch(url, { ...init, dispatcher }) });
new SocialPublishing({ ...given, fetch: (url, init) => nodeFetch(url, { ...init, compress: false }) });
new SocialPublishing({ ...given, fetch: (url) => fetch(url instanceof Request ? url.url : String(url)) });
new SocialPublishing({ ...given, fetch: (url: string, init: RequestInit) => fetch(url, init) });
new SocialPublishing({ ...given, fetch: (url: RequestInfo | URL, init?: RequestInit) => fetch(url, init) });
new SocialPublishing({ ...given, fetch: () => Promise.resolve(Response.json({ success: true })) });

// @ts-expect-error -- it gives no reply
new SocialPublishing({ ...given, fetch: () => Promise.resolve('{}') });
// @ts-expect-error -- it gives the reply at once
new SocialPublishing({ ...given, fetch: () => Response.json({}) });
// @ts-expect-error -- it does not take a URL
new SocialPublishing({ ...given, fetch: (url: number) => fetch(String(url)) });
