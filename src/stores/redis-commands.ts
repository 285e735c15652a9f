/**
 * Sends one command, for every other client: `(command, ...args) => client.send(command, args)`. It must send the arguments
 * unchanged: a client that adds a prefix to keys would show other items after a change of that prefix.
 */
export type RedisStoreCommand = (command: string, ...args: string[]) => Promise<unknown>;

/** The used part of each client. */
export interface RedisCommands {
  /** Runs a script; a text that comes as bytes is decoded. */
  readonly evaluate: (script: string, keys: readonly string[], args: readonly string[]) => Promise<unknown>;
  /** Sends a command without a key; `undefined` if the client cannot. */
  readonly ask: RedisStoreCommand | undefined;
}
