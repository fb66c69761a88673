import type { SignedRequest } from '../signing.ts';
import type { BaseParts, Mistake } from './base-parts.ts';

/** Mistakes in the separators of the lines. */
export function newlineMistakes({ headers }: SignedRequest): Mistake[] {
  const lines = ['the method', 'the path', ...Object.keys(headers).sort(), 'the body hash'];
  const boundaries = lines
    .slice(1)
    .map((after, index) => ({ before: lines[index], after, index: index + 1 }));
  return [
    newline('The lines were joined with CRLF; they must be joined with a single line feed.', '\r\n'),
    newline('The lines were joined with a carriage return; they must be joined with a line feed.', '\r'),
    newline(
      'The lines were joined with the two characters \\n instead of a line feed (an escape that was not interpreted).',
      '\\n',
    ),
    newline('The lines were joined without line feeds.', ''),
    newline('The lines were joined with spaces instead of line feeds.', ' '),
    joined('The base string ended in a line feed; nothing follows the body hash.', (all, separator) =>
      all.join(separator).concat(separator),
    ),
    joined('The base string began with a line feed.', (all, separator) =>
      separator.concat(all.join(separator)),
    ),
    joined(
      'The body hash was left out; a request without body has the hash of the empty string.',
      (all, separator) => all.slice(0, -1).join(separator),
    ),
    joined('The body hash was left out, but not the line feed before it.', (all, separator) =>
      [...all.slice(0, -1), ''].join(separator),
    ),
    ...boundaries.map(({ before, after, index }) =>
      joined(`The line feed between ${before} and ${after} is missing.`, (all, separator) =>
        all.slice(0, index).join(separator).concat(all.slice(index).join(separator)),
      ),
    ),
    ...boundaries.map(({ before, after, index }) =>
      joined(`There is an extra line feed between ${before} and ${after}.`, (all, separator) =>
        [...all.slice(0, index), '', ...all.slice(index)].join(separator),
      ),
    ),
  ];
}

function newline(sentence: string, separator: string): Mistake {
  return { sentence, change: (parts) => ({ ...parts, newline: separator }) };
}

function joined(sentence: string, join: BaseParts['join']): Mistake {
  return { sentence, change: (parts) => ({ ...parts, join }) };
}
