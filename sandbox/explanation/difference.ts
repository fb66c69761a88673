import { diffArrays } from 'diff';

/** A piece of a text; `marked` if the other text differs there. */
export interface Piece {
  text: string;
  marked: boolean;
}

/** Both texts in pieces with their differences marked, by words and line ends, not by single letters of a hash. */
export function difference(left: string, right: string): { left: Piece[]; right: Piece[] } {
  const changes = diffArrays(wordsOf(left), wordsOf(right));
  const pieces = (side: 'added' | 'removed') =>
    changes
      .filter((change) => !change[side])
      .map((change) => ({ text: change.value.join(''), marked: change.added || change.removed }));
  return { left: pieces('added'), right: pieces('removed') };
}

function wordsOf(text: string): string[] {
  return text.match(/\\n|\r\n|[\w%+-]+|[\s\S]/g) ?? [];
}
