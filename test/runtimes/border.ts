import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { App, Check } from './app.js';
import { borderEngines, chromium, type Engine } from './engines.js';
import { lastLine } from './served.js';

/** The program's report of each case, and the server's counts. */
interface Border {
  readonly cases: readonly { fault: string; call: string; attempts: number; outcome: string }[];
  readonly counts: Readonly<Record<string, number>>;
}

/** One call of each class. */
const columns: Readonly<Record<string, string>> = {
  'posts.list': 'GET without cost',
  'integrations.update': 'PATCH',
  'posts.create': 'POST `posts.create`',
  'messages.send': 'POST `messages.send`',
  'posts.updateScheduled': 'PUT',
  'analytics.getPost': 'paid GET',
};
const repeatable: readonly string[] = ['posts.list', 'integrations.update'];

export const borderHead = ['faults on a reused connection', ...Object.values(columns)].join(' | ');

/** Each class of call meets each fault, and a raw server counts the requests. */
export const border: readonly Check[] = borderEngines.flatMap((engine) => [
  check(engine, 'open'),
  // A page cannot prevent repeats. A server that closes each connection can.
  ...(engine === chromium ? [check(engine, 'closing')] : []),
]);

function check(engine: Engine, mode: 'open' | 'closing'): Check {
  const isClosing = mode === 'closing';
  const id = `border-${engine.id}${isClosing ? '-closing' : ''}`;
  return {
    id,
    where: `${engine.where}${isClosing ? ', server with `Connection: close`' : ''}`,
    what: 'border',
    run: async (app) => {
      const version = await engine.version(app);
      const { cases, counts } = await meet(app, engine, mode);
      const failures = counts['reused'] === 0 && !isClosing ? ['No fault met a reused connection.'] : [];
      const cells = Object.keys(columns).map((column) => {
        const all = cases
          .filter(({ call }) => call === column)
          .map((one) => ({ ...one, requests: (counts[`${one.fault}.${column}`] ?? 0) - 1 }));
        for (const { fault, requests, attempts, outcome } of all) {
          const isRepeated = requests > attempts && !repeatable.includes(column) && !isKnown(id, column, fault);
          const isMisread = fault === '401' && outcome !== 'rejected';
          if (isRepeated || isMisread || requests < 1 || outcome === 'not_sent') {
            failures.push(
              `${column} after ${fault}: ${String(requests)} requests, ${String(attempts)} attempts, ${outcome}`,
            );
          }
        }
        return cellOf(all);
      });
      return {
        version,
        result: [`${String(counts['reused'])} of ${String(cases.length)}`, ...cells].join(' | '),
        ...(failures.length > 0 ? { failure: failures.join('\n        ') } : undefined),
      };
    },
  };
}

/** The repeats that the client cannot prevent. docs/runtimes.md names them. */
function isKnown(id: string, call: string, fault: string): boolean {
  if (id === 'border-chromium') return true;
  return (
    fault === '421' &&
    (id === 'border-chromium-closing' || (id.startsWith('border-node') && call === 'analytics.getPost'))
  );
}

/** Returns the requests of a call, and the faults after which it took another number. */
function cellOf(all: readonly { fault: string; requests: number; attempts: number }[]): string {
  const more = new Map<string, string[]>();
  for (const { fault, requests, attempts } of all) {
    const counted = `${String(requests)}${attempts === 1 ? '' : ` (${String(attempts)} attempts)`}`;
    if (counted !== '1') more.set(counted, [...(more.get(counted) ?? []), fault]);
  }
  return ['1', ...[...more].map(([counted, after]) => `${after.join(', ')}: ${counted}`)].join('; ');
}

async function meet(app: App, engine: Engine, mode: 'open' | 'closing'): Promise<Border> {
  const server = fork('test/runtimes/raw-server.mjs', [mode], { silent: true, execArgv: [] });
  try {
    const [port] = (await once(server.stdout as NonNullable<typeof server.stdout>, 'data')) as [Buffer];
    const printed = await engine.run(app, 'border-program', `http://127.0.0.1:${port.toString().trim()}/`);
    return JSON.parse(lastLine(printed)) as Border;
  } finally {
    server.kill();
  }
}
