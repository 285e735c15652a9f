/** A document with the part between its markers written anew. */
export function withSection(markdown: string, name: string, text: string): string {
  const start = `<!-- ${name}: written by npm run documents -->`;
  const end = `<!-- /${name} -->`;
  const from = markdown.indexOf(start);
  const to = markdown.indexOf(end);
  if (from === -1 || to < from) throw new Error(`The document has no part between ${start} and ${end}.`);
  return `${markdown.slice(0, from)}${start}\n\n${text}\n\n${markdown.slice(to)}`;
}
