import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Notation } from '../../../shared/stores/notation.ts';
import { imported } from './use-cases/put-file.ts';

/** Two bytes of each of these are no UTF-8 by chance. */
const encodings = {
  'utf-8': { letters: ['é', 'ü', '日', '🛒'], encode: (text: string) => Buffer.from(text) },
  'windows-1252': { letters: ['é', 'ü', 'ñ'], encode: (text: string) => Buffer.from(text, 'latin1') },
  'utf-16le': { letters: ['é', '日'], encode: (text: string) => Buffer.from(text, 'utf16le') },
  shift_jis: { letters: ['テ'], encode: (text: string) => encodedBy(text, { テ: [0x83, 0x65] }) },
  gbk: { letters: ['你'], encode: (text: string) => encodedBy(text, { 你: [0xc4, 0xe3] }) },
} as const;

function encodedBy(text: string, bytes: Readonly<Record<string, readonly number[]>>): Buffer {
  return Buffer.from([...text].flatMap((letter) => bytes[letter] ?? [letter.charCodeAt(0)]));
}

const signs = { '.': '.', ',': ',', "'": "'", space: ' ' } as const;

/** A number as a program with this notation writes it. */
function written({ cents, decimals, isGrouped }: WrittenNumber, { decimal, thousands = 'space' }: Notation) {
  const [whole = '', fraction = ''] = (cents / 1000).toFixed(3).split('.');
  const grouped = isGrouped ? whole.replaceAll(/\B(?=(\d{3})+$)/g, signs[thousands]) : whole;
  const rest = fraction.replace(/0+$/, '').padEnd(decimals, '0');
  return rest === '' ? grouped : `${grouped}${decimal}${rest}`;
}

interface WrittenNumber {
  /** Thousandths. */
  readonly cents: number;
  /** At least so many are written. */
  readonly decimals: number;
  readonly isGrouped: boolean;
}

const numbers = fc.record({
  cents: fc.oneof(
    fc.integer({ min: 0, max: 5_000_000_000 }),
    fc.integer({ min: 0, max: 5000 }).map((n) => n * 1000),
  ),
  decimals: fc.constantFrom(0, 1, 2, 3),
  isGrouped: fc.boolean(),
});
const notations = fc.constantFrom<Notation>(
  { decimal: '.', thousands: ',' },
  { decimal: ',', thousands: '.' },
  { decimal: '.', thousands: "'" },
  { decimal: ',', thousands: 'space' },
);
const files = fc.record({
  kind: fc.constantFrom('stock', 'prices'),
  numbers: fc.array(numbers, { minLength: 1, maxLength: 12 }),
  notation: notations,
  isNotationNamed: fc.boolean(),
  encoding: fc.constantFrom(...(Object.keys(encodings) as (keyof typeof encodings)[])),
  isEncodingNamed: fc.boolean(),
  delimiter: fc.constantFrom(',', ';', '\t'),
  lineBreak: fc.constantFrom('\n', '\r\n', '\r'),
  isQuoted: fc.boolean(),
  hasSeparatorLine: fc.boolean(),
  isGzip: fc.boolean(),
});

test('no file in any notation, encoding and form sends a value that differs from the one that was written', async () => {
  let sent = 0;
  const check = async (file: typeof files extends fc.Arbitrary<infer File> ? File : never) => {
    const { kind, notation, encoding, delimiter, lineBreak } = file;
    const { letters, encode } = encodings[encoding];
    const field = kind === 'stock' ? 'stock' : 'price';
    const wanted = new Map<string, number>();
    const lines = file.numbers.map((number, index) => {
      const sku = `${letters[index % letters.length]}-${index}`;
      const cents = kind === 'stock' ? number.cents - (number.cents % 1000) : number.cents;
      wanted.set(sku, cents / 1000);
      const text = written({ ...number, cents }, notation);
      const isQuoted = file.isQuoted || text.includes(delimiter);
      return `${sku}${delimiter}${isQuoted ? `"${text}"` : text}`;
    });
    const head = file.hasSeparatorLine ? [`sep=${delimiter}`] : [];
    const text = [...head, `sku${delimiter}${field}`, ...lines, ''].join(lineBreak);
    const content = file.isGzip ? gzipSync(encode(text)) : encode(text);
    const metadata: Record<string, string> = {
      ...(file.isNotationNamed && { ...notation, thousands: notation.thousands ?? '.' }),
      ...(file.isEncodingNamed && encoding !== 'utf-8' && { encoding }),
    };
    const key = `${kind}/s-1/a.csv${file.isGzip ? '.gz' : ''}`;
    const { rows, record } = await imported({ key, content, metadata });
    for (const row of rows()) expect([row.sku, row[field]]).toEqual([row.sku, wanted.get(String(row.sku))]);
    const isNamed = file.isNotationNamed && (file.isEncodingNamed || encoding === 'utf-8');
    if (isNamed) expect(record()?.reading).toMatchObject({ sent: wanted.size, rejected: {} });
    sent += rows().length;
  };
  await fc.assert(fc.asyncProperty(files, check), { numRuns: 400 });
  expect(sent).toBeGreaterThan(500);
});
