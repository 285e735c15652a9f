const loopback = /^(?:localhost|(?:[\w-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/;

/** Whether a host name always means this computer. */
export function isLoopback(name: string): boolean {
  return loopback.test(name);
}
