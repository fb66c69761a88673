import { sumOf } from '../../shared/collections/counts.ts';
import type { ImportView } from '../../shared/imports/view.ts';
import { counted, duration } from './words.ts';

const WIDTH = 24;

/** How far a file is: what is done of all, in one unit, and the rows that this is. */
interface Sample {
  readonly phase: 'reading' | 'sending';
  readonly done: number;
  readonly of: number | undefined;
  readonly rows: number;
  /** Of all rows of the file, once they are known. */
  readonly total?: number;
}

/** Draws the progress of an import: how much of it is read, then how many of its rows have an outcome. */
export class ImportProgress {
  /** Bytes of the file; `undefined` if the importer counts others, as of a compressed file. */
  readonly #size: number | undefined;
  /** The first sample of the phase, and its time. */
  #first: (Sample & { readonly at: number }) | undefined;

  constructor(size: number | undefined) {
    this.#size = size;
  }

  /** @param at epoch ms */
  bar(view: Pick<ImportView, 'rows' | 'progress' | 'state'>, at: number): string {
    const sample = this.#sampleOf(view);
    if (this.#first?.phase !== sample.phase) this.#first = { ...sample, at };
    const seconds = (at - this.#first.at) / 1000;
    const speed = seconds > 0 ? (sample.rows - this.#first.rows) / seconds : 0;
    const { phase, done, of, rows, total } = sample;
    const share = of === undefined || of === 0 ? undefined : Math.min(1, done / of);
    const left =
      of !== undefined && speed > 0 ? ((of - done) * seconds) / (done - this.#first.done) : undefined;
    return [
      phase,
      share === undefined ? undefined : barOf(share),
      total === undefined ? counted(rows, 'row') : `${rows} of ${counted(total, 'row')}`,
      ...(speed > 0 ? [`${Math.round(speed)} rows/s`] : []),
      ...(left === undefined || !Number.isFinite(left) ? [] : [`${duration(Math.max(0, left) * 1000)} left`]),
    ]
      .filter((part) => part !== undefined)
      .join('  ');
  }

  #sampleOf({ rows, progress }: Pick<ImportView, 'rows' | 'progress'>): Sample {
    if (rows === undefined) {
      const { rows: read = 0, bytes = 0 } = progress ?? {};
      return { phase: 'reading', done: bytes, of: this.#size, rows: read };
    }
    const done = rows.accepted + (rows.superseded ?? 0) + sumOf(rows.rejected);
    return { phase: 'sending', done, of: rows.read, rows: done, total: rows.read };
  }
}

function barOf(share: number): string {
  const full = Math.round(WIDTH * share);
  const percent = `${Math.floor(100 * share)}`.padStart(3);
  return `[${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}] ${percent} %`;
}
