import type { Conversation } from 'social-publishing';

/** Returns the other participant of a conversation. */
export function partnerOf(
  { participants = [], id }: Conversation,
  selfId: string | undefined,
): { readonly id: string | undefined; readonly name: string } {
  const partner = participants.find((participant) => participant.id !== selfId);
  return { id: partner?.id, name: partner?.name ?? partner?.username ?? id };
}
