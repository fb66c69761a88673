import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { listenForInterrupt } from '../../../local/run/interrupt.ts';

test.each(['SIGINT', 'SIGTERM'])('the first %s aborts the work, the second one ends the process', (name) => {
  const signals = new EventEmitter();
  const onFirst = vi.fn();
  const end = vi.fn();
  using interrupt = listenForInterrupt({ onFirst, end, signals });
  expect(interrupt.signal.aborted).toBe(false);
  signals.emit(name);
  expect(interrupt.signal.aborted).toBe(true);
  expect(onFirst).toHaveBeenCalledOnce();
  expect(end).not.toHaveBeenCalled();
  signals.emit(name);
  expect(end).toHaveBeenCalledExactlyOnceWith(130);
  expect(onFirst).toHaveBeenCalledOnce();
});

test('no signal is listened to once that is disposed', () => {
  const signals = new EventEmitter();
  listenForInterrupt({ onFirst: () => {}, signals })[Symbol.dispose]();
  expect(signals.eventNames()).toEqual([]);
});
