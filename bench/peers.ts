import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Subject } from './measure.js';

/** Another library, ready to read from the benchmark's server. */
export interface Peer {
  readonly name: string;
  /** The call that is measured. */
  readonly what: string;
  readonly connect: (url: string, size: number) => Subject;
}

/** The code for each library to read one thing from a server on loopback. The benchmark uses only its time. */
const libraries: readonly { name: string; version: string; what: string; code: string }[] = [
  {
    name: 'openai',
    version: '7.57.0',
    what: 'models.retrieve',
    code: `import OpenAI from 'openai';
      export const connect = (url) => {
        const client = new OpenAI({ apiKey: 'bench-key', baseURL: url });
        return (id) => client.models.retrieve(id);
      };`,
  },
  {
    name: 'stripe',
    version: '23.1.0',
    what: 'customers.retrieve',
    code: `import Stripe from 'stripe';
      export const connect = (url) => {
        const { hostname: host, port } = new URL(url);
        const client = new Stripe('sk_test_bench', { host, port, protocol: 'http', telemetry: false });
        return (id) => client.customers.retrieve(id);
      };`,
  },
  {
    name: 'svix',
    version: '2.5.0',
    what: 'application.get, which keeps only known fields',
    code: `import { Svix } from 'svix';
      export const connect = (url) => {
        const client = new Svix('testsk_bench.eu', { serverUrl: url });
        return (id) => client.application.get(id);
      };`,
  },
  {
    name: 'resend',
    version: '6.38.0',
    what: 'emails.get',
    code: `import { Resend } from 'resend';
      export const connect = (url) => {
        const client = new Resend('re_bench', { baseUrl: url });
        return (id) => client.emails.get(id);
      };`,
  },
  {
    name: '@zernio/node',
    version: '0.2.881',
    what: 'posts.getPost',
    code: `import Zernio from '@zernio/node';
      export const connect = (url) => {
        const client = new Zernio({ apiKey: 'bench-key', baseURL: url });
        return (id) => client.posts.getPost({ path: { postId: id } });
      };`,
  },
  {
    name: 'post-for-me',
    version: '2.9.1',
    what: 'socialPosts.retrieve',
    code: `import PostForMe from 'post-for-me';
      export const connect = (url) => {
        const client = new PostForMe({ apiKey: 'bench-key', baseURL: url });
        return (id) => client.socialPosts.retrieve(id);
      };`,
  },
];

/** The exports of a library's module above. */
interface Module {
  readonly connect: (url: string) => (id: string) => Promise<unknown>;
}

/** The libraries that could be installed and loaded, and the names of the others with the reason. */
export interface Peers {
  readonly ready: readonly Peer[];
  readonly missing: readonly { readonly name: string; readonly why: string }[];
  remove(): void;
}

/** Installs the libraries into a temporary folder: they never become dependencies of the project. */
export async function installPeers(): Promise<Peers> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-peers-'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const ready: Peer[] = [];
  const missing: { name: string; why: string }[] = [];
  for (const { name, version, what, code } of libraries) {
    try {
      const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${version}`];
      execFileSync('npm', install, { cwd: folder, stdio: 'pipe' });
      const path = join(folder, `${name.replace(/\W/g, '-')}.mjs`);
      writeFileSync(path, code);
      // The module was written two lines above.
      const { connect } = (await import(pathToFileURL(path).href)) as Module;
      ready.push({
        name: `${name} ${version}`,
        what,
        connect: (url, size) => subject(`${name} ${version}`, connect(url), size),
      });
    } catch (error) {
      missing.push({ name, why: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) });
    }
  }
  return {
    ready,
    missing,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function subject(name: string, read: (id: string) => Promise<unknown>, size: number): Subject {
  return { name, run: () => read(`n${String(size)}`) };
}
