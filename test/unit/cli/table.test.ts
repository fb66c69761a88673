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

test('fields without a value are left out', () => {
  const entries = [
    ['state', 'open'],
    ['reason', undefined],
    ['store', 'store-1'],
  ] as const;
  expect(fields(entries)).toBe('state  open\nstore  store-1');
});
