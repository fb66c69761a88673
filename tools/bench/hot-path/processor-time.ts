import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second, of Linux's process statistics. */
const TICKS = 100;

interface ProcessTimes {
  readonly parent: number;
  readonly ownMs: number;
  /** Of children that have ended. */
  readonly endedMs: number;
}

function timesOf(pid: number | string): ProcessTimes | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command, in brackets, may have spaces.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    const ms = (ticks: number) => (ticks * 1000) / TICKS;
    return { parent, ownMs: ms(user + system), endedMs: ms(endedUser + endedSystem) };
  } catch {
    return undefined;
  }
}

/**
 * Milliseconds of CPU of all processes that this one has started, ended ones included, but for `without`. Linux only:
 * `NaN` elsewhere.
 */
export function childrenMs(without: readonly number[]): number {
  const own = timesOf(process.pid);
  if (own === undefined) return Number.NaN;
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && !without.includes(Number(name)))
    .flatMap((pid) => timesOf(pid) ?? [])
    .filter(({ parent }) => parent === process.pid);
  return children.reduce((sum, { ownMs }) => sum + ownMs, own.endedMs);
}
