import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createClient } from 'redis';

type Command = (string | number)[];

/**
 * A small HTTP server in front of a real Redis, with the part of Upstash's REST interface that `@upstash/redis` uses for
 * scripts: a JSON array comes in, `{ result }` or `{ error }` goes out, several of them at `/pipeline`; texts are base64 if the
 * client asks for it. It is test code: it does not replace Upstash.
 */
export class UpstashBridge {
  readonly #server: Server;
  readonly #close: () => Promise<void>;

  private constructor(server: Server, close: () => Promise<void>) {
    this.#server = server;
    this.#close = close;
  }

  static async start(redisUrl: string): Promise<UpstashBridge> {
    const redis = createClient({ url: redisUrl });
    redis.on('error', () => {}); // A command rejects too.
    await redis.connect();
    const server = createServer((request, response) => {
      const isBase64 = request.headers['upstash-encoding'] === 'base64';
      const execute = async (command: Command): Promise<{ result?: unknown; error?: string }> => {
        try {
          const result: unknown = await redis.sendCommand(command.map(String));
          return { result: isBase64 ? base64(result) : result };
        } catch (error) {
          return { error: error instanceof Error ? error.message : String(error) };
        }
      };
      const answer = async () => {
        const body = JSON.parse(await text(request)) as Command | Command[];
        const isPipeline = request.url === '/pipeline';
        const replies = await Promise.all((isPipeline ? (body as Command[]) : [body as Command]).map(execute));
        const isRefused = !isPipeline && replies[0]?.error !== undefined;
        response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(isPipeline ? replies : replies[0]));
      };
      answer().catch(() => response.destroy());
    });
    const bridge = new UpstashBridge(server, async () => {
      await redis.close();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return bridge;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
    await this.#close();
  }
}

function base64(value: unknown): unknown {
  if (typeof value === 'string') return Buffer.from(value).toString('base64');
  return Array.isArray(value) ? value.map(base64) : value;
}
