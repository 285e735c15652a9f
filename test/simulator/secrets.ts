/** The access keys and signing secrets of a history. An operator can replace them while processes run. */

/** The same in every history: the package keeps imported keys. */
const accessKeys = [
  'sk-simulated-0123456789abcdef',
  'sk-simulated-123456789abcdef0',
  'sk-simulated-23456789abcdef01',
] as const;
const signingSecrets = [
  'whsec_simulated-0123456789abcdef',
  'whsec_simulated-123456789abcdef0',
  'whsec_simulated-23456789abcdef01',
] as const;
/** A secret that no inbox accepts any more. */
export const oldWebhookSecret = 'whsec_simulated-fedcba9876543210';

/** The secrets that no record, log or error may show. */
export const allSecrets: readonly string[] = [...accessKeys, ...signingSecrets, oldWebhookSecret];

export class Secrets {
  #key = 0;
  #isOldKeyRefused = true;
  /** The secret that the service signs with. */
  #signing = 0;
  /** The newest secret that inboxes know. */
  #known = 0;

  /** The key that a process gets when it starts. */
  get accessKey(): string {
    return accessKeys[this.#key] ?? accessKeys[0];
  }

  accepts(key: string | null): boolean {
    return key === this.accessKey || (!this.#isOldKeyRefused && key === accessKeys[this.#key - 1]);
  }

  /** @param isOldKeyRefused at once. Otherwise it is valid until `refuseOldKey` */
  rotateKey(isOldKeyRefused: boolean): void {
    this.#key = Math.min(this.#key + 1, accessKeys.length - 1);
    this.#isOldKeyRefused = isOldKeyRefused;
  }

  refuseOldKey(): void {
    this.#isOldKeyRefused = true;
  }

  get signingSecret(): string {
    return signingSecrets[this.#signing] ?? signingSecrets[0];
  }

  /** The secrets of an inbox whose process starts: the new one, and the previous one. */
  get inboxSecrets(): string[] {
    return signingSecrets.slice(Math.max(0, this.#known - 1), this.#known + 1);
  }

  /** Processes that start from now on know the next secret. */
  announceSigningSecret(): void {
    this.#known = Math.min(this.#known + 1, signingSecrets.length - 1);
  }

  /** The service signs with the announced secret. */
  useSigningSecret(): void {
    this.#signing = this.#known;
  }
}
