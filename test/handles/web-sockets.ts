import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';

/** Connects WebSockets to a TCP server, like Neon's proxy does for its driver. `module` is the package `ws`. */
export async function bridgeWebSockets(
  module: string,
  target: { readonly host: string; readonly port: number },
): Promise<{ port: number; close: () => void }> {
  const { WebSocketServer } = (await import(module)) as { WebSocketServer: new (options: object) => WebSocketServer };
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket) => {
    const tcp = net.connect(target);
    socket.on('message', (data) => tcp.write(data));
    tcp.on('data', (data) => {
      socket.send(data);
    });
    socket.on('close', () => tcp.destroy());
    tcp.on('close', () => {
      socket.close();
    });
    tcp.on('error', () => {
      socket.close();
    });
  });
  await once(server as never, 'listening');
  return {
    port: server.address().port,
    close: () => {
      server.close();
    },
  };
}

/** The part of the package `ws` that is used. */
interface WebSocketServer {
  on(event: 'connection', listener: (socket: Socket) => void): void;
  address(): AddressInfo;
  close(): void;
}

interface Socket {
  on(event: 'message', listener: (data: Buffer) => void): void;
  on(event: 'close', listener: () => void): void;
  send(data: Buffer): void;
  close(): void;
}
