import { Table } from './Table.js';

interface Point {
  readonly label: string;
  readonly value: number;
}

const width = 720;
const height = 200;
const left = 72;
const bottom = 24;
const top = 18;
const lines = 4;

/** A line over days from 0, with its values as a table for screen readers. */
export function LineChart({ title, points }: { readonly title: string; readonly points: readonly Point[] }) {
  if (points.length === 0) return <p class="hint">There are no values for {title}.</p>;
  const most = roundUp(Math.max(1, ...points.map(({ value }) => value)));
  const x = (index: number) => left + ((width - left - 8) * index) / Math.max(1, points.length - 1);
  const y = (value: number) => top + (height - top - bottom) * (1 - value / most);
  const line = points.map(({ value }, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
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
        <polygon class="line-area" points={`${left},${y(0)} ${line} ${x(points.length - 1)},${y(0)}`} />
        <polyline class="line-value" points={line} />
        <Ends points={points} />
      </svg>
      <Values title={title} points={points} />
    </figure>
  );
}

function Ends({ points }: { readonly points: readonly Point[] }) {
  return (
    <>
      <text class="axis" x={left} y={height - 6}>
        {points[0]?.label}
      </text>
      <text class="axis" x={width - 8} y={height - 6} text-anchor="end">
        {points.at(-1)?.label}
      </text>
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
            <td class="number">{value.toLocaleString('en-GB')}</td>
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
  const values = points.map(({ value }) => value);
  return `${title}: ${points.length} days, from ${Math.min(...values)} to ${Math.max(...values)}. The values are listed below.`;
}
