import { expect, test } from 'vitest';
import { fields, table } from '../../../cli/render/table.ts';
import { plainTerminal } from './plain-terminal.ts';

test('a table has a column as wide as its longest cell, and no lines', () => {
  const rows = [
    ['a', 'first'],
    ['longer', 'second'],
  ];
  expect(table(plainTerminal, ['ID', 'NAME'], rows)).toBe('ID      NAME\na       first\nlonger  second');
});

test('a long last cell wraps, so that no line is wider than the terminal', () => {
  const long = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
  const drawn = table(plainTerminal, ['ID', 'WHY'], [['a'.repeat(36), long]]);
  expect(drawn.split('\n').length).toBeGreaterThan(2);
  expect(drawn.split('\n').filter((line) => line.length > 100)).toEqual([]);
  expect(drawn.replaceAll(/\s+/g, ' ')).toContain('word58 word59');
});

test('a word that is longer than the last column is broken, and loses nothing', () => {
  const key = 'k'.repeat(90);
  const drawn = table(plainTerminal, ['ID', 'KEY'], [['a'.repeat(36), key]]);
  expect(drawn.split('\n').filter((line) => line.length > 100)).toEqual([]);
  expect(drawn.match(/k/g)).toHaveLength(90);
});

test('outside of a terminal each row is one line', () => {
  const wide = { ...plainTerminal, width: Number.POSITIVE_INFINITY };
  expect(table(wide, ['ID', 'WHY'], [['a', 'word '.repeat(60).trim()]]).split('\n')).toHaveLength(2);
});

test('letters that take two columns of a terminal are aligned, and none is cut off', () => {
  const rows = [
    ['sku:スニーカー', '商品が見つかりません'],
    ['sku:A-1', 'it was not read'],
  ];
  const [, wide, narrow] = table(plainTerminal, ['PRODUCT', 'WHY'], rows).split('\n');
  expect(wide).toBe('sku:スニーカー  商品が見つかりません');
  expect(narrow).toBe('sku:A-1         it was not read');
});

test('a table of 200,000 rows is drawn', () => {
  const rows = Array.from({ length: 200_000 }, (_, index) => [`sku:A-${index}`, 'price']);
  const wide = { ...plainTerminal, width: Number.POSITIVE_INFINITY };
  expect(table(wide, ['PRODUCT', 'VALUE'], rows).split('\n')).toHaveLength(200_001);
});

test('fields without a value are left out', () => {
  const entries = [
    ['state', 'open'],
    ['reason', undefined],
    ['store', 'store-1'],
  ] as const;
  expect(fields(entries)).toBe('state  open\nstore  store-1');
});
