/** Shows an error, with a button to try again. */
export function Problem({ text, retry }: { readonly text: string | undefined; readonly retry?: () => void }) {
  if (text === undefined) return null;
  return (
    <div class="problem" role="alert">
      <p>{text}</p>
      {retry !== undefined && (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
