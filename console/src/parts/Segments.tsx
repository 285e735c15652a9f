interface Props<Name extends string> {
  readonly label: string;
  readonly segments: readonly { readonly name: Name; readonly label: string }[];
  readonly chosen: { value: Name };
}

/** A row of buttons, of which one is chosen. */
export function Segments<Name extends string>({ label, segments, chosen }: Props<Name>) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {segments.map(({ name, label: words }) => (
        <button
          key={name}
          type="button"
          class="button"
          aria-pressed={chosen.value === name}
          onClick={() => {
            chosen.value = name;
          }}
        >
          {words}
        </button>
      ))}
    </div>
  );
}
