/** A range of days in a query. Its start has a documented default; its end is today by default. */
export interface DefaultRange {
  readonly from: string;
  readonly to: string;
  readonly days: number;
}

export const analyticsRange: DefaultRange = { from: 'fromDate', to: 'toDate', days: 90 };
export const insightsRange: DefaultRange = { from: 'since', to: 'until', days: 30 };

export const defaultRanges: readonly DefaultRange[] = [analyticsRange, insightsRange];
