import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';

/** The action for the next request that contains a text. */
interface Cut {
  readonly marker: string;
  /** `reply`: the server gets the request, and its reply is thrown away. `request`: the server never gets it. */
  readonly lose: 'reply' | 'request';
  readonly staysDown: boolean;
}

/** A proxy between a client and a server that ends the connection at the worst moment. */
export class CuttingProxy {
  /** How many connections were cut. */
  cuts = 0;
  /** Whether connections are refused. */
  isDown = false;
  #next: Cut | undefined;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();

  static async start(target: { host: string; port: number }): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(target: { host: string; port: number }) {
    this.#server = net.createServer((client) => {
      if (this.isDown) client.destroy();
      else this.#join(client, net.connect(target));
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Cuts once: at the next request that contains the marker, from any client. It can stay down from then on. */
  cutNext(marker: string, lose: Cut['lose'], { staysDown = false } = {}): void {
    this.#next = { marker, lose, staysDown };
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: net.Socket, server: net.Socket): void {
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {}); // Resets are what this is for.
      socket.on('close', () => {
        this.#sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    let losesReply = false;
    const cut = () => {
      this.cuts += 1;
      client.resetAndDestroy();
      server.destroy();
    };
    client.on('data', (chunk) => {
      const next = this.#next;
      if (next !== undefined && chunk.includes(next.marker)) {
        this.#next = undefined;
        this.isDown = next.staysDown;
        if (next.lose === 'request') {
          cut();
          return;
        }
        losesReply = true;
      }
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      if (losesReply) cut();
      else client.write(chunk);
    });
  }
}
