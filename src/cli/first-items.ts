/** Yields the first items, and reads no further. */
export async function* firstItems<Item>(items: AsyncIterable<Item>, limit: number): AsyncGenerator<Item> {
  let count = 0;
  for await (const item of items) {
    yield item;
    count += 1;
    if (count >= limit) return;
  }
}
