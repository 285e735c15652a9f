import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { knownEventTypes } from '../../src/model/events.js';
import { knownPlatforms } from '../../src/model/known-values.js';
import { safeParse } from '../../src/schema/check.js';
import { webhookEventSchema } from '../../src/schema/event.js';

/** An event with every documented field. */
const whole = {
  version: '1',
  id: 'event_1',
  type: 'post.published',
  createdAt: '2027-01-01T09:00:00Z',
  projectId: 'project_1',
  profileId: 'profile_1',
  data: {
    post: {
      id: 'post_1',
      status: 'published',
      content: 'Hello',
      scheduledFor: '2027-01-01T09:00:00Z',
      publishedAt: '2027-01-01T09:00:01Z',
      mediaItems: [
        {
          type: 'image',
          url: 'https://media.example.com/1.png',
          thumbnail: 'https://media.example.com/1s.png',
          filename: '1.png',
          size: 5,
          mimeType: 'image/png',
        },
      ],
      links: { service: 'https://app.example.com', api: 'https://api.example.com' },
    },
    platforms: [
      {
        platform: 'instagram',
        integrationId: 'int_1',
        profileId: 'profile_1',
        status: 'published',
        platformPostId: '17',
        platformPostUrl: 'https://instagram.com/p/17',
        publishedAt: '2027-01-01T09:00:01Z',
        errorMessage: 'none',
        warningMessage: 'none',
      },
    ],
  },
};

const required = ['id', 'type', 'data', 'data.post', 'data.post.id', 'data.platforms'];
const nullable = [
  'profileId',
  'data.post.scheduledFor',
  'data.post.publishedAt',
  'data.platforms.0.profileId',
  'data.platforms.0.platformPostId',
  'data.platforms.0.platformPostUrl',
  'data.platforms.0.publishedAt',
  'data.platforms.0.errorMessage',
  'data.platforms.0.warningMessage',
];

/** Returns the path of every field, with dots. */
function paths(value: object, before = ''): string[] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => [
    before + key,
    ...(typeof inner === 'object' && inner !== null ? paths(inner, `${before}${key}.`) : []),
  ]);
}

/** Returns the event with another value at a path; without the field for `undefined`. */
function changed(path: string, value: unknown): object {
  const event = structuredClone(whole);
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let place = event as unknown as Record<string, unknown>;
  for (const key of keys) place = place[key] as Record<string, unknown>;
  if (value === undefined) Reflect.deleteProperty(place, last);
  else place[last] = value;
  return event;
}

/** Returns the paths of the issues. */
function refused(event: object): string[] {
  const result = safeParse(webhookEventSchema(), event);
  return result.success ? [] : result.error.issues.map(({ path }) => path.join('.'));
}

const all = paths(whole);
const items = ['data.post.mediaItems.0', 'data.platforms.0'];
const fields = all.filter((path) => !items.includes(path));

describe('the schema of an event', () => {
  it('accepts every documented field, and keeps other fields at every level', () => {
    const event = structuredClone(whole);
    const { data } = event;
    for (const object of [event, data, data.post, data.post.links, data.post.mediaItems[0], data.platforms[0]])
      Object.assign(object ?? {}, { brandNew: { a: null } });
    expect(safeParse(webhookEventSchema(), event)).toEqual({ success: true, data: event });
  });

  it.each(fields)('requires %s only if a receiver cannot work without it', (path) => {
    expect(refused(changed(path, undefined))).toEqual(required.includes(path) ? [path] : []);
  });

  it.each(all)('accepts null for %s only where it has a meaning', (path) => {
    expect(refused(changed(path, null))).toEqual(nullable.includes(path) ? [] : [path]);
  });

  it.each(all)('refuses another type for %s', (path) => {
    expect(refused(changed(path, true))).toEqual([path]);
  });

  it('accepts only the documented types of events', () => {
    for (const type of knownEventTypes) expect(refused(changed('type', type))).toEqual([]);
    expect(refused(changed('type', 'post.liked'))).toEqual(['type']);
  });

  it('accepts any platform and any type of media, and shows the known ones in documents', () => {
    expect(refused(changed('data.platforms.0.platform', 'brand-new'))).toEqual([]);
    expect(refused(changed('data.post.mediaItems.0.type', 'hologram'))).toEqual([]);
    const { data } = webhookEventSchema().shape;
    const { post, platforms } = data.shape;
    const platform = platforms._zod.def.element.shape.platform._zod.def.innerType;
    const media = post.shape.mediaItems._zod.def.innerType._zod.def.element.shape.type._zod.def.innerType;
    expect(z.globalRegistry.get(platform)).toEqual({ examples: [...knownPlatforms] });
    expect(z.globalRegistry.get(media)).toEqual({ examples: ['image'] });
  });

  it('is built once', () => {
    expect(webhookEventSchema()).toBe(webhookEventSchema());
  });
});
