import { parseJson } from '../../core/json.js';
import type { Delivery, RequestRecord } from './traffic.js';

/** Whether a request created, changed or read this one post. Lists of posts do not count. */
export function isRequestAbout({ method, path, query, body, reply }: RequestRecord, postId: string): boolean {
  if (path.split('/').includes(encodeURIComponent(postId)) || query['postId'] === postId) return true;
  if (method === 'GET') return false;
  const named = `"postId":${JSON.stringify(postId)}`;
  return reply?.body.includes(named) === true || (body !== undefined && JSON.stringify(body).includes(named));
}

export function isDeliveryAbout({ body }: Delivery, postId: string): boolean {
  // Most bodies do not contain the ID, and reading all of them takes long.
  if (!body.includes(JSON.stringify(postId))) return false;
  // Written by the emulator, as the API document shows it.
  const { data } = parseJson(body) as { readonly data: { readonly post: { readonly id: string } } };
  return data.post.id === postId;
}
