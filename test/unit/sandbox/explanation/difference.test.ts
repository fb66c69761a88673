import { describe, expect, it } from 'vitest';
import { difference, type Piece } from '../../../../sandbox/explanation/difference.ts';

const marked = (pieces: Piece[]) => pieces.filter((piece) => piece.marked).map((piece) => piece.text);
const whole = (pieces: Piece[]) => pieces.map((piece) => piece.text).join('');

describe('the difference of two base strings', () => {
  it.each<[string, string, string, string[], string[]]>([
    ['nothing where they are the same', 'GET\n/a', 'GET\n/a', [], []],
    ['line ends', 'GET\n/a\nb', 'GET\r\n/a\r\nb', ['\n', '\n'], ['\r\n', '\r\n']],
    ['a literal \\n', 'GET\n/a', 'GET\\n/a', ['\n'], ['\\n']],
    ['a query', '/a\nx', '/a?q=1\nx', [], ['?q=1']],
    ['a whole hash', 'x\nabc1', 'x\nabd1', ['abc1'], ['abd1']],
    ['a space', 'x-timestamp:1', 'x-timestamp: 1', [], [' ']],
  ])('marks %s', (_, left, right, inLeft, inRight) => {
    const pieces = difference(left, right);
    expect([whole(pieces.left), whole(pieces.right)]).toEqual([left, right]);
    expect([marked(pieces.left), marked(pieces.right)]).toEqual([inLeft, inRight]);
  });
});
