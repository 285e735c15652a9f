import { isLoopback } from '../../core/loopback.js';

/** Addresses that mean every network interface: a server that listens on one has no host name. */
const anyAddress: readonly string[] = ['0.0.0.0', '::', '[::]'];

const ipAddress = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])$/;
/** A name without a dot, as containers have. Strangers cannot register such a name. */
const plainName = /^[\w-]+$/;

/**
 * Whether a host name can only mean this server. Another name may belong to a stranger and resolve to this server (DNS
 * rebinding).
 * @param address the address that the server listens on
 */
export function isOwnName(name: string, address: string): boolean {
  const own = address.toLowerCase();
  if (isLoopback(name) || name === own || name === `[${own}]`) return true;
  return anyAddress.includes(address) && (ipAddress.test(name) || plainName.test(name));
}
