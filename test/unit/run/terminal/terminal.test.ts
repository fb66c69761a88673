import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTerminal } from '../../../../local/run/terminal/terminal.ts';

const ERASE = '\r\x1b[2K';

let written: string[];

beforeEach(() => {
  written = [];
  vi.useFakeTimers();
  vi.stubEnv('TERM', 'xterm');
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const write = (text: string) => text !== '' && written.push(text);
const file = () => createTerminal({ write });
const screen = (columns = 40) => createTerminal({ write, isTTY: true, columns });

describe('on a terminal', () => {
  test('progress is rewritten in place, with the seconds since it began', () => {
    using terminal = screen();
    terminal.progress('Working');
    vi.advanceTimersByTime(1_000);
    expect(written[0]).toBe('Working …');
    expect(written.at(-1)).toBe(`${ERASE}Working … 1 s`);
  });

  test('a line that stays is above the progress', () => {
    using terminal = screen();
    terminal.progress('Working');
    terminal.say('done: 1');
    expect(written).toEqual(['Working …', `${ERASE}done: 1\n`, 'Working …']);
    terminal.progress(undefined);
    expect(written.at(-1)).toBe(ERASE);
  });

  test('progress never takes more than one line', () => {
    using terminal = screen(20);
    terminal.progress('A text that is longer than the screen');
    expect(written).toEqual(['A text that is lon…']);
  });

  test('progress has 80 columns when the terminal does not know its own', () => {
    using terminal = screen(0);
    terminal.progress('x'.repeat(100));
    expect(written).toEqual([`${'x'.repeat(78)}…`]);
  });

  test('is written to line by line when it can not rewrite', () => {
    vi.stubEnv('TERM', 'dumb');
    using terminal = screen();
    terminal.progress('Working');
    expect(written).toEqual(['Working …\n']);
  });
});

describe('in a file or a pipe', () => {
  test('progress comes as lines, and none is later than two seconds', () => {
    using terminal = file();
    terminal.progress('Working');
    vi.advanceTimersByTime(5_000);
    expect(written).toEqual(['Working …\n', ...[1, 2, 3, 4, 5].map((s) => `Working … ${s} s\n`)]);
  });

  test('progress that changes often has a line per second', () => {
    using terminal = file();
    for (let count = 0; count < 100; count += 1) {
      terminal.progress(`${count} done`);
      vi.advanceTimersByTime(20);
    }
    expect(written).toEqual(['0 done …\n', '49 done …\n', '99 done …\n']);
    expect(written.join('')).not.toContain('\x1b');
  });

  test('nothing is written when nothing is being done', () => {
    using terminal = file();
    terminal.say('a');
    terminal.progress('b');
    terminal.progress(undefined);
    vi.advanceTimersByTime(5_000);
    expect(written).toEqual(['a\n']);
  });
});

test('no progress is written after the abort', () => {
  const controller = new AbortController();
  using terminal = createTerminal({ write, isTTY: true, columns: 40 }, controller.signal);
  terminal.progress('Working');
  controller.abort();
  terminal.progress('Still working');
  terminal.say('Stopped.');
  expect(written).toEqual(['Working …', ERASE, 'Stopped.\n']);
});

describe('colours', () => {
  test('are written with FORCE_COLOR', () => {
    vi.stubEnv('FORCE_COLOR', '1');
    using terminal = file();
    expect(terminal.paint('red', 'x')).toBe('\x1b[31mx\x1b[39m');
  });

  test('are not written with NO_COLOR', () => {
    vi.stubEnv('FORCE_COLOR', undefined);
    vi.stubEnv('NO_COLOR', '1');
    using terminal = screen();
    expect(terminal.paint('red', 'x')).toBe('x');
  });
});
