import type { Conversation } from 'social-publishing';

/** Who the account talks with. */
export function partnerOf(
  { participants = [], id }: Conversation,
  selfId: string | undefined,
): { readonly id: string | undefined; readonly name: string } {
  const partner = participants.find((participant) => participant.id !== selfId);
  return { id: partner?.id, name: partner?.name ?? partner?.username ?? id };
}
