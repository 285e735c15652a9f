/** Sends one command, for every other client: `(command, ...args) => client.send(command, args)`. */
export type RedisStoreCommand = (command: string, ...args: string[]) => Promise<unknown>;

/** The used part of each client. */
export interface RedisCommands {
  /** Runs a script; a text that comes as bytes is decoded. */
  readonly evaluate: (script: string, keys: readonly string[], args: readonly string[]) => Promise<unknown>;
  /** Sends a command without a key; `undefined` if the client cannot. */
  readonly ask: RedisStoreCommand | undefined;
}
