import { expect, test } from 'vitest';
import { renderTrace } from '../../../cli/render/trace.ts';
import { elapsed } from '../../../cli/render/words.ts';
import { zoneOption } from '../../../cli/render/zone.ts';
import type { TraceStep } from '../../../shared/trace/model.ts';
import { plainTerminal } from './plain-terminal.ts';

test('a timeline has the date of each day on its first step, in UTC', () => {
  const step = { what: 'value.sent', storeClientId: 's' } as const;
  const times = ['2026-11-21T23:59:58.000Z', '2026-11-21T23:59:59.000Z', '2026-11-22T00:00:01.000Z'];
  const trace = { subject: { target: 'sku:A' }, steps: times.map((at) => ({ ...step, at })) };
  const terminal = { width: 200, style: (_: unknown, text: string) => text };
  const [, header = '', ...lines] = renderTrace(trace, terminal).split('\n');
  expect(header).toMatch(/^2026-11-21 UTC /);
  expect(lines.map((line) => line.trim().split('  ')[0])).toEqual([
    '23:59:58.000',
    '23:59:59.000',
    '2026-11-22 00:00:01.000',
  ]);
});

test('a timeline is in the time zone that is asked for, with its dates', () => {
  const step = { what: 'value.sent', storeClientId: 's' } as const;
  const times = ['2026-11-21T22:59:58.000Z', '2026-11-21T23:00:00.500Z'];
  const trace = { subject: { target: 'sku:A' }, steps: times.map((at) => ({ ...step, at })) };
  const terminal = { width: 200, style: (_: unknown, text: string) => text };
  const [, header = '', ...lines] = renderTrace(trace, terminal, 'Europe/Berlin').split('\n');
  expect(header).toMatch(/^2026-11-21 Europe\/Berlin /);
  expect(lines.map((line) => line.trim().split('  ')[0])).toEqual([
    '23:59:58.000',
    '2026-11-22 00:00:00.500',
  ]);
  expect(zoneOption('local')).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
  expect(() => zoneOption('Mars')).toThrow(/time zone/);
});

test.each([
  [40, '+40 ms'],
  [1_240, '+1.2 s'],
  [60_000, '+1 min'],
  [200_000, '+3 min 20 s'],
  [7_500_000, '+2 h 5 min'],
  [97_200_000, '+1 d 3 h'],
])('%i ms after the first step are read as %s', (milliseconds, text) => {
  expect(elapsed(milliseconds)).toBe(text);
});

test('a trace names a request by its ID at the marketplace where it was tried and where it ended, not in each step of its batch', () => {
  const at = '2026-11-21T08:00:00.000Z';
  const step = (what: TraceStep['what']): TraceStep => ({ at, what, storeClientId: 's-1', requestId: 'r-1' });
  const steps = [step('request.tried'), step('request.ended'), step('batch.submitted')];
  const lines = renderTrace({ subject: { target: 'sku:A' }, steps }, plainTerminal).split('\n');
  expect(
    lines
      .filter((line) => line.includes('request r-1'))
      .map((line) => /request[.]\w+|batch[.]\w+/.exec(line)?.[0]),
  ).toEqual(['request.tried', 'request.ended']);
});

test('the next try of what waits is in the zone of the times beside it, with its date only on another day', () => {
  const at = '2026-11-21T21:00:00.000Z';
  const waiting = (until: string) => ({ at, what: 'command.waiting', storeClientId: 's-1', until }) as const;
  const steps = [waiting('2026-11-21T22:15:00.000Z'), waiting('2026-11-21T23:15:00.000Z')];
  const text = renderTrace({ subject: { commandId: 'c-1' }, steps }, plainTerminal, 'Europe/Berlin');
  expect(text).toContain('next try 23:15:00.000');
  expect(text).toContain('next try 2026-11-22 00:15:00.000');
});
