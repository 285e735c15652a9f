/** Shown until the first data is there. After an error, which is shown above, the data is unknown. */
export function Loading({ error }: { readonly error: string | undefined }) {
  return <p class="hint">{error === undefined ? 'Loading' : 'Unknown'}</p>;
}
