import { Table } from './Table.js';

interface Point {
  readonly label: string;
  /** Undefined: there is no data, which is not 0. */
  readonly value: number | undefined;
}

const width = 720;
const height = 200;
const left = 72;
const bottom = 24;
const top = 18;
const lines = 4;
/** About half the width of "no data". */
const halfLabel = 24;
/** The width of "no data" on a phone, where the letters of a chart are larger. */
const narrowLabel = 80;
/** The dates below the chart. */
const dates = 5;

/**
 * A line chart over days, whose axis starts at 0. A table shows its values to screen readers. Days without data
 * interrupt the line.
 */
export function LineChart({ title, points }: { readonly title: string; readonly points: readonly Point[] }) {
  const values = points.flatMap(({ value }) => value ?? []);
  if (values.length === 0) return <p class="hint">There are no values for {title}.</p>;
  const most = roundUp(Math.max(1, ...values));
  const step = (width - left - 8) / Math.max(1, points.length - 1);
  const x = (index: number) => left + step * index;
  const y = (value: number) => top + (height - top - bottom) * (1 - value / most);
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <svg class="line-chart" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={summary(title, points)}>
        {Array.from({ length: lines + 1 }, (_, index) => (most * index) / lines).map((value) => (
          <g key={value}>
            <line class="grid-line" x1={left} x2={width - 8} y1={y(value)} y2={y(value)} />
            <text class="axis" x={left - 8} y={y(value) + 4} text-anchor="end">
              {value.toLocaleString('en-GB')}
            </text>
          </g>
        ))}
        {runsOf(points).map(({ from, values: run }) =>
          run === undefined ? null : (
            <Segment key={from} places={run.map((value, index) => [x(from + index), y(value)])} base={y(0)} />
          ),
        )}
        {runsOf(points).map(({ from, length, values: run }) =>
          run === undefined ? (
            <Gap key={from} from={x(from - 0.5)} to={x(from + length - 0.5)} height={y(0) - top} />
          ) : null,
        )}
        <Dates points={points} />
      </svg>
      <Values title={title} points={points} />
    </figure>
  );
}

/** Consecutive days with data, or without data (`values` is undefined). */
interface Run {
  readonly from: number;
  readonly length: number;
  readonly values: readonly number[] | undefined;
}

function runsOf(points: readonly Point[]): readonly Run[] {
  const runs: { from: number; length: number; values: number[] | undefined }[] = [];
  for (const [index, { value }] of points.entries()) {
    const last = runs.at(-1);
    if (last !== undefined && (last.values === undefined) === (value === undefined)) {
      last.length += 1;
      if (value !== undefined) last.values?.push(value);
    } else runs.push({ from: index, length: 1, values: value === undefined ? undefined : [value] });
  }
  return runs;
}

type ChartPoint = readonly [x: number, y: number];

function Segment({ places, base }: { readonly places: readonly ChartPoint[]; readonly base: number }) {
  const [first, last] = [places[0], places.at(-1)];
  if (first === undefined || last === undefined) return null;
  const line = places.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
  if (places.length === 1) return <circle class="line-point" cx={first[0]} cy={first[1]} r="3" />;
  return (
    <>
      <polygon class="line-area" points={`${first[0]},${base} ${line} ${last[0]},${base}`} />
      <polyline class="line-value" points={line} />
    </>
  );
}

function Gap({ from, to, height: tall }: { readonly from: number; readonly to: number; readonly height: number }) {
  const [begin, end] = [Math.max(from, left), Math.min(to, width - 8)];
  const middle = (begin + end) / 2;
  // Inside the chart, also if the gap at its edge is narrower than the text.
  const [anchor, place] =
    middle + halfLabel > width - 8
      ? ['end' as const, width - 8]
      : middle - halfLabel < left
        ? ['start' as const, left]
        : ['middle' as const, middle];
  return (
    <g>
      <rect class="line-gap" x={begin} y={top} width={end - begin} height={tall} />
      <text class={end - begin < narrowLabel ? 'axis axis-short' : 'axis'} x={place} y={top + 12} text-anchor={anchor}>
        no data
      </text>
    </g>
  );
}

function Dates({ points }: { readonly points: readonly Point[] }) {
  const last = points.length - 1;
  const ticks = Array.from({ length: dates }, (_, index) => Math.round((last * index) / (dates - 1)));
  return (
    <>
      {[...new Set(ticks)].map((index, place) => (
        <text
          key={index}
          class={place % 2 === 0 ? 'axis' : 'axis axis-between'}
          x={left + ((width - left - 8) * index) / Math.max(1, last)}
          y={height - 6}
          text-anchor={index === 0 ? 'start' : index === last ? 'end' : 'middle'}
        >
          {points[index]?.label}
        </text>
      ))}
    </>
  );
}

function Values({ title, points }: { readonly title: string; readonly points: readonly Point[] }) {
  return (
    <details>
      <summary>Values</summary>
      <Table label={`${title}: values`} heads={['Day']} numbers={['Value']}>
        {points.map(({ label, value }) => (
          <tr key={label}>
            <td>{label}</td>
            <td class="number">{value?.toLocaleString('en-GB') ?? 'no data'}</td>
          </tr>
        ))}
      </Table>
    </details>
  );
}

/** Returns the next number with round quarters. */
function roundUp(value: number): number {
  const step = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 8, 10].map((factor) => factor * step).find((round) => round >= value) ?? value;
}

function summary(title: string, points: readonly Point[]): string {
  const values = points.flatMap(({ value }) => value ?? []);
  const without = points.length - values.length;
  const gap = without === 0 ? '' : `, ${without} of them without data`;
  return `${title}: ${points.length} days${gap}, from ${Math.min(...values)} to ${Math.max(...values)}. The values are listed below.`;
}
