import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy in front of Redis that loses replies: Redis has carried out what the client never hears of. */
export class CuttingProxy {
  readonly #target: URL;
  readonly #server = createServer((socket) => {
    this.#connect(socket);
  });
  readonly #sockets = new Set<Socket>();
  #cuts: { readonly command: RegExp; readonly staysDown: boolean } | undefined;
  #isDown = false;
  /** How many replies were lost. */
  lost = 0;

  constructor(redisUrl: string) {
    this.#target = new URL(redisUrl);
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `redis://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  /** The reply to the next command of this form is lost with its connection; no other is taken until `up`, if it stays down. */
  cutReplyTo(command: RegExp, { staysDown = false } = {}): void {
    this.#cuts = { command, staysDown };
  }

  up(): void {
    this.#isDown = false;
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #connect(client: Socket): void {
    if (this.#isDown) {
      client.destroy();
      return;
    }
    const redis = connect(Number(this.#target.port || 6379), this.#target.hostname);
    let isCut = false;
    for (const socket of [client, redis]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        for (const one of [client, redis]) one.destroy();
      });
    }
    client.on('data', (chunk: Buffer) => {
      if (this.#cuts?.command.test(chunk.toString()) === true) {
        isCut = true;
        this.#isDown = this.#cuts.staysDown;
        this.#cuts = undefined;
      }
      redis.write(chunk);
    });
    redis.on('data', (chunk: Buffer) => {
      if (!isCut) {
        client.write(chunk);
        return;
      }
      this.lost += 1;
      client.destroy();
    });
  }
}
