import type { Outcome } from '../core/errors.js';
import type { CallWatcher, Transport } from '../core/transport.js';
import { CreateLog, SentCreate } from './create-log.js';

/** Follows one create, and tells the client's log what was sent and how it ended. */
export class CreateWatch implements CallWatcher {
  readonly #transport: Transport;
  #create: SentCreate | undefined;
  #outcome: Outcome = 'not_sent';

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  onSend(body = '{}'): void {
    if (this.#create === undefined) {
      this.#create = new SentCreate(body, this.#transport.runtime.now());
      this.#log.send(this.#create);
    }
    this.#create.noteClock(this.#transport.clock.offsetMs);
  }

  onFailure(outcome: Outcome): void {
    this.#outcome = outcome;
  }

  /** The create was answered with its post. */
  answered(postId: string): void {
    this.#log.answer(this.#create, postId);
  }

  /** The create failed with this. */
  failed(error: unknown): void {
    this.#create?.noteClock(this.#transport.clock.offsetMs);
    this.#log.fail(this.#create, error, this.#outcome, this.#transport.runtime.now());
  }

  get #log(): CreateLog {
    return this.#transport.shared(CreateLog);
  }
}
