/** What the window is reckoned from. */
interface Timed {
  readonly sentAt: number;
  readonly endedAt: number | undefined;
  readonly clockOffsetsMs: ReadonlySet<number>;
}

/** The times, by the service's clock, between which a create's post can have been created. */
export interface CreatedWindow {
  readonly from: number;
  readonly to: number;
}

/** How far off the service's clock may be from what is known of it. */
export const clockMarginMs = 2 * 60_000;
/** How long after its caller gave up a create may still be carried out, on its way through proxies and queues. */
const lateMs = 15 * 60_000;

/**
 * Where the replies told different things of the service's clock, for example since it was set in between, the window
 * takes in all of them. Where none told, the clocks are taken to agree, and the window has no end.
 */
export function createdWindow(
  { sentAt, endedAt, clockOffsetsMs }: Timed,
  offsetNowMs: number | undefined,
): CreatedWindow {
  const offsets = [...clockOffsetsMs, ...(offsetNowMs === undefined ? [] : [offsetNowMs])];
  const isKnown = offsets.length > 0;
  const from = sentAt + (isKnown ? Math.min(...offsets) : 0) - clockMarginMs;
  const to = isKnown && endedAt !== undefined ? endedAt + Math.max(...offsets) + lateMs : Infinity;
  return { from, to };
}

/** Whether a post that was created then may be it. A time that is not told speaks for it. */
export function isWithin({ from, to }: CreatedWindow, createdAt: number | undefined): boolean {
  return createdAt === undefined || (createdAt >= from && createdAt <= to);
}
