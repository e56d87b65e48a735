/**
 * Iterates over a query in keyset pages, so that memory use does not depend on the size of the table. `find` gets the
 * last row of the previous page and returns at most `size` rows; a page with fewer rows is the last one.
 * @public For modules with lists of any length.
 */
export async function* keysetPages<Row>(
  size: number,
  find: (last: Row | undefined, size: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let page: Row[] = []
  do {
    page = await find(page.at(-1), size)
    if (page.length > 0) yield page
  } while (page.length === size)
}
