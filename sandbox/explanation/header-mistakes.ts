import type { SignedRequest } from '../signing.ts';
import type { BaseParts, Mistake } from './base-parts.ts';
import { permutations } from './permutations.ts';

type Headers = BaseParts['headers'];

/** Mistakes in the header lines. */
export function headerMistakes({ headers }: SignedRequest): Mistake[] {
  const names = Object.keys(headers);
  return [
    change('The store headers were left out of the signature.', (lines) =>
      lines.filter(([name]) => !name.toLowerCase().startsWith('x-store-')),
    ),
    ...names.map((left) =>
      change(`The header ${left} was left out of the signature.`, (lines) =>
        lines.filter(([name]) => name.toLowerCase() !== left),
      ),
    ),
    {
      sentence: 'A header line has ": " between name and value; it must be ":" without a space.',
      change: (parts) => ({ ...parts, colon: ': ' }),
    },
    {
      sentence: 'A header line has "=" between name and value; it must be ":".',
      change: (parts) => ({ ...parts, colon: '=' }),
    },
    named('The header names were signed as X-Partner-Client-Id; they must be lowercase.', capitalised),
    named('The header names were signed in uppercase; they must be lowercase.', (name) => name.toUpperCase()),
    {
      sentence: 'The header values were signed without their names.',
      change: (parts) => ({ ...parts, colon: '', headers: parts.headers.map(([, value]) => ['', value]) }),
    },
    change('The header values were signed in lowercase.', (lines) =>
      lines.map(([name, value]) => [name, value.toLowerCase()]),
    ),
    timestamp(
      'The signed x-timestamp is in seconds; it must be in milliseconds, as in the header.',
      Math.floor,
    ),
    timestamp(
      'The signed x-timestamp is in seconds; it must be in milliseconds, as in the header.',
      Math.round,
    ),
    change('A content-type line was signed; only the four x- headers are.', (lines) => [
      ['content-type', 'application/json'],
      ...lines,
    ]),
    ...orders(names.length).map((order) =>
      change('The header lines are not sorted by name.', (lines) => inOrder(lines, order)),
    ),
  ];
}

function change(sentence: string, headersOf: (headers: Headers) => Headers): Mistake {
  return { sentence, change: (parts) => ({ ...parts, headers: headersOf(parts.headers) }) };
}

function named(sentence: string, nameOf: (name: string) => string): Mistake {
  return change(sentence, (lines) => lines.map(([name, value]) => [nameOf(name), value]));
}

function capitalised(name: string): string {
  return name.replaceAll(/(^|-)([a-z])/g, (letters) => letters.toUpperCase());
}

function timestamp(sentence: string, whole: (seconds: number) => number): Mistake {
  return change(sentence, (lines) =>
    lines.map(([name, value]) => [
      name,
      name === 'x-timestamp' ? String(whole(Number(value) / 1000)) : value,
    ]),
  );
}

/** All orders of `count` lines except the sorted one. */
function orders(count: number): number[][] {
  return permutations([...Array(count).keys()]).slice(1);
}

/** The header lines in another order. They stay unchanged if another mistake has removed a line. */
function inOrder(lines: Headers, order: readonly number[]): Headers {
  if (lines.length !== order.length) return lines;
  return order.flatMap((index) => lines.slice(index, index + 1));
}
