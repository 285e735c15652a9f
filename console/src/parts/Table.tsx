import type { ComponentChildren } from 'preact';

interface Props {
  readonly label: string;
  readonly heads: readonly string[];
  /** The headings of number columns, which follow the other columns. */
  readonly numbers?: readonly string[];
  /** The rows of the table. */
  readonly children: ComponentChildren;
}

/** A table that scrolls horizontally if it is too wide, also by keyboard. */
export function Table({ label, heads, numbers = [], children }: Props) {
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={label}>
      <table class="table">
        <thead>
          <tr>
            {heads.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            {numbers.map((name) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
