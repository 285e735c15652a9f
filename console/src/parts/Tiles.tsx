interface Tile {
  readonly label: string;
  /** Undefined: the platform returned no value, which is not 0. */
  readonly value: number | undefined;
}

/** Separate numbers, without a common chart, because their scales differ. */
export function Tiles({ title, tiles }: { readonly title: string; readonly tiles: readonly Tile[] }) {
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <dl class="tiles">
        {tiles.map(({ label, value }) => (
          <div key={label} class="tile">
            <dt>{label}</dt>
            <dd>{value?.toLocaleString('en-GB') ?? <span class="hint">no data</span>}</dd>
          </div>
        ))}
      </dl>
    </figure>
  );
}
