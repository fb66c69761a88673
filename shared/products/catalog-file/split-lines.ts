import type { RowText } from './row.ts';

/**
 * Splits text into lines, holding at most one line of `maxLength` characters. Blank lines are counted and left out;
 * a longer line comes without its text.
 */
export async function* splitLines(
  chunks: AsyncIterable<string>,
  maxLength: number,
): AsyncGenerator<RowText, void, undefined> {
  let number = 1;
  let line = '';
  let tooLong = false;

  const extend = (piece: string): void => {
    tooLong ||= line.length + piece.length > maxLength;
    line = tooLong ? '' : line + piece;
  };
  const take = (): RowText | undefined => {
    const row = tooLong ? { number, text: undefined } : { number, text: line };
    number += 1;
    line = '';
    tooLong = false;
    return row.text?.trim() === '' ? undefined : row;
  };

  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
      extend(chunk.slice(start, end));
      start = end + 1;
      const row = take();
      if (row) yield row;
    }
    extend(chunk.slice(start));
  }
  const last = take();
  if (last) yield last;
}
