import type { CreateNotificationBody } from 'social-publishing';

type DocumentedEventType = NonNullable<CreateNotificationBody['eventTypes']>[number];

const documented: Readonly<Record<DocumentedEventType, true>> = {
  'post.scheduled': true,
  'post.published': true,
  'post.partial': true,
  'post.failed': true,
};

export const eventTypes = Object.keys(documented) as readonly DocumentedEventType[];
