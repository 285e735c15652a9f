/** The URL of a server of this run. `npm run test:stores` finds or starts one. */
export function serverUrl(name: 'DATABASE_URL' | 'REDIS_URL'): string {
  const url = process.env[name];
  if (url === undefined || url === '') throw new Error(`${name} is not set: run npm run test:stores.`);
  return url;
}
