interface Bar {
  readonly key: string;
  readonly label: string;
  readonly note: string;
  /** Undefined: the platform returned no value, which is not 0. */
  readonly value: number | undefined;
}

/** Horizontal bars from 0, as a list for screen readers. */
export function BarChart({ title, bars }: { readonly title: string; readonly bars: readonly Bar[] }) {
  const most = Math.max(1, ...bars.map(({ value = 0 }) => value));
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <ul role="list" class="bars">
        {bars.map(({ key, label, note, value }) => (
          <li key={key}>
            <span class="bar-label" title={note === '' ? label : `${label} (${note})`}>
              {label}
            </span>
            {/* An SVG, because the page's policy refuses inline styles such as a width. */}
            <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
              <rect class="bar-rest" width="100" height="10" />
              <rect class="bar-value" width={((value ?? 0) / most) * 100} height="10" />
            </svg>
            <span class="bar-number">{value?.toLocaleString('en-GB') ?? 'no data'}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}
