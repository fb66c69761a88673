import { expect, test } from 'vitest';
import { eventLine } from '../../../cli/render/event-line.ts';
import { plainTerminal } from './plain-terminal.ts';

const event = { id: 'e', time: '2026-11-22T15:00:00Z', detail: { storeClientId: 's', items: [1] } };

test('an event is one line with its time, direction, type, store and detail', () => {
  const given = { ...event, source: 'my.erp', 'detail-type': 'stock.changed' };
  expect(eventLine(given, plainTerminal)).toBe('15:00:00 ► stock.changed  s  {"items":[1]}');
  const published = { ...event, source: 'marketplace.connector', 'detail-type': 'batch.completed' };
  expect(eventLine(published, plainTerminal)).toMatch(/^15:00:00 ◄ batch.completed /);
});

test('a long detail is cut at the width of the terminal', () => {
  const detail = { storeClientId: 's', text: 'x'.repeat(500) };
  const line = eventLine({ ...event, detail, source: 'a', 'detail-type': 'stock.changed' }, plainTerminal);
  expect(line).toHaveLength(100);
  expect(line).toMatch(/…$/);
});

test('in a terminal that is too narrow for the store, the detail is left out', () => {
  const given = { ...event, source: 'a', 'detail-type': 'stock.changed' };
  expect(eventLine(given, { ...plainTerminal, width: 10 })).toBe('15:00:00 ► stock.changed  s  …');
});

test('an event stays one line whatever its store is, so that it can not show as another event', () => {
  const given = { ...event, source: 'a', 'detail-type': 'stock.changed' };
  const lineOf = (storeClientId: unknown) =>
    eventLine({ ...given, detail: { storeClientId, items: [1] } }, plainTerminal);
  expect(lineOf('s\n10:00:01 ◄ batch.completed')).not.toContain('\n');
  expect(lineOf({ toString: 1 })).toBe('15:00:00 ► stock.changed  {"toString":1}  {"items":[1]}');
});
