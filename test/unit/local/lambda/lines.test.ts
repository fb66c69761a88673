import { expect, test } from 'vitest';
import { createLineSplitter } from '../../../../local/aws/lambda/lines.ts';

test('text is cut into lines, in whatever pieces it arrives', () => {
  const lines: string[] = [];
  const splitter = createLineSplitter((line) => lines.push(line));
  for (const piece of ['a\nb', 'c\n\nd', 'e']) splitter.push(piece);
  expect(lines).toEqual(['a', 'bc', '']);
  splitter.flush();
  splitter.flush();
  expect(lines).toEqual(['a', 'bc', '', 'de']);
});
