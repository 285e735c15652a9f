import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';

/** A network between clients and a server on a port of 127.0.0.1. It can stop to deliver, and lead to another server. */
export class Network {
  readonly #server: net.Server;
  readonly #links = new Set<net.Socket>();
  #target: number;
  #isPaused = false;

  private constructor(target: number) {
    this.#target = target;
    this.#server = net.createServer((client) => {
      this.#join(client, net.connect(this.#target, '127.0.0.1'));
    });
  }

  static async to(target: number): Promise<Network> {
    const network = new Network(target);
    await once(network.#server.listen(0, '127.0.0.1'), 'listening');
    return network;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  pause(): void {
    this.#isPaused = true;
    for (const link of this.#links) link.pause();
  }

  resume(): void {
    this.#isPaused = false;
    for (const link of this.#links) link.resume();
  }

  /** Cuts all connections, and connects new ones to another server. */
  redirect(target: number): void {
    this.#target = target;
    for (const link of this.#links) link.destroy();
  }

  close(): void {
    for (const link of this.#links) link.destroy();
    this.#server.close();
  }

  #join(client: net.Socket, server: net.Socket): void {
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#links.add(from);
      from.setNoDelay(true);
      from.on('data', (chunk) => to.write(chunk));
      from.on('error', () => {}); // The other end closes too.
      from.on('close', () => {
        this.#links.delete(from);
        to.destroy();
      });
      if (this.#isPaused) from.pause();
    }
  }
}
