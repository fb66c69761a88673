import { ArrayOpening } from './array-opening.ts';
import { ElementCutter } from './element-cutter.ts';
import { CatalogFileFault } from './file-fault.ts';
import type { RowText } from './row.ts';

/**
 * Cuts the elements out of a JSON array, or of the array `products` of a JSON object, without parsing them. Holds at
 * most one element of `maxLength` characters; a longer one comes without its text.
 *
 * A streaming JSON parser would end at the first syntax error and hold an element of any size. Cutting at the commas
 * of the array's own depth keeps a broken element's fault to itself, as long as its quotes and brackets match.
 *
 * @throws {CatalogFileFault} FILE_NOT_JSON when there is no such array, FILE_TRUNCATED when it does not end.
 */
export async function* splitJsonArray(
  chunks: AsyncIterable<string>,
  maxLength: number,
): AsyncGenerator<RowText, void, undefined> {
  const cutter = new ElementCutter(maxLength);
  const opening = new ArrayOpening();
  for await (const chunk of chunks) {
    const start = opening.find(chunk);
    if (start === undefined) continue;
    yield* cutter.cut(chunk.slice(start));
    if (cutter.ended) return;
  }
  opening.end();
  throw new CatalogFileFault('FILE_TRUNCATED', 'the array of products does not end', cutter.number);
}
