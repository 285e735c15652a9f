/**
 * Two servers in a separate thread, each with a new SQLite file that commits durably: an inbox, and a minimal server
 * that verifies with node:crypto and makes one insert. It reports their ports.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { SqliteStore } from 'social-publishing/stores/sqlite';
import { createWebhookInbox } from 'social-publishing/webhooks';

const { folder, secret } = workerData;

const store = new SqliteStore(`${folder}/inbox.db`);
await store.setup();
const inbox = createWebhookInbox({ secret, store, on: {} });

const database = new DatabaseSync(`${folder}/bare.db`);
database.exec(
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE events (id TEXT PRIMARY KEY, body TEXT)',
);
const insert = database.prepare('INSERT INTO events VALUES (?, ?) ON CONFLICT DO NOTHING');

function bare(request, response) {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const digest = createHmac('sha256', secret)
      .update(`${request.headers['x-service-timestamp']}.`)
      .update(body)
      .digest();
    const signature = Buffer.from(request.headers['x-service-signature'].slice('sha256='.length), 'hex');
    response.statusCode = timingSafeEqual(digest, signature) ? 200 : 401;
    const text = body.toString();
    if (response.statusCode === 200) insert.run(JSON.parse(text).id, text);
    response.setHeader('content-type', 'application/json');
    response.end('{"received":true}');
  });
}

const ports = await Promise.all(
  [inbox.node, bare].map(
    (listener) =>
      new Promise((resolve) => {
        const server = createServer(listener).listen(0, '127.0.0.1', () => resolve(server.address().port));
      }),
  ),
);
parentPort.postMessage({ inbox: ports[0], bare: ports[1] });
