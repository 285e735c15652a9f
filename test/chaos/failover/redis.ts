import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import { Network } from '../../support/network.js';
import { startRedis, type TemporaryServer } from '../../support/temporary-servers.js';
import type { LosableStore } from './run.js';
import { portOf, stallMs, until, type Server } from './servers.js';

/** A primary with a replica. Clients reach the primary through a network that leads to the replica after a failover. */
export async function startRedisPair(settings: Readonly<Record<string, string>>): Promise<LosableStore & Server> {
  let primary = await startRedis({ settings });
  let { link, replica } = await attachReplica(primary, settings);
  const front = await Network.to(portOf(primary));
  return {
    spec: { kind: 'node-redis', url: `redis://127.0.0.1:${front.port}`, prefix: 'chaos:' },
    fail: async () => {
      link.pause();
      await sleep(stallMs);
      await primary.kill();
      link.close();
      // For a moment, clients reach the replica before it accepts writes.
      front.redirect(portOf(replica));
      await ask(replica, 'REPLICAOF', 'NO', 'ONE');
      const lost = primary;
      primary = replica;
      await lost.stop();
      ({ link, replica } = await attachReplica(primary, settings));
    },
    stop: async () => {
      front.close();
      link.close();
      await replica.stop();
      await primary.stop();
    },
  };
}

async function attachReplica(primary: TemporaryServer, settings: Readonly<Record<string, string>>) {
  const link = await Network.to(portOf(primary));
  const replica = await startRedis({ primary: link.port, settings });
  await until(async () => /^slave0:.*state=online/m.test(await ask(primary, 'INFO', 'replication')));
  return { link, replica };
}

async function ask({ url }: TemporaryServer, ...command: string[]): Promise<string> {
  const client = createClient({ url });
  client.on('error', () => {}); // The command rejects too.
  await client.connect();
  try {
    const reply: unknown = await client.sendCommand(command);
    return typeof reply === 'string' ? reply : '';
  } finally {
    await client.close();
  }
}
