import { boundedText } from '../../rejections/rules/bounded.ts';
import type { CommandFault } from '../../requests/rules/rejection.ts';
import type { Store } from '../../stores/model.ts';
import type { Notation } from '../../stores/notation.ts';
import type { IsoTime } from '../../time/times.ts';
import type { RowLayout } from '../file/read-rows.ts';
import type { ReadRow } from '../file/row.ts';
import type { ImportRecord, ReadingCounts } from '../model.ts';
import type { FileHints } from './file-hints.ts';

/** How a file writes numbers, if the file, its store or a person says so. Otherwise keeps the first sign of a decimal comma. */
export class FileNotation {
  readonly #isDryRun: boolean;
  /** Whether an earlier part of the file was read. */
  readonly #isBegun: boolean;
  /** What a person has said. */
  readonly #said: Notation | undefined;
  #notation: Notation | undefined;
  #signOfComma: string | undefined;

  constructor({ progress, numbers }: Pick<ImportRecord, 'progress' | 'numbers'>, isDryRun: boolean) {
    this.#isDryRun = isDryRun;
    this.#isBegun = progress !== undefined;
    this.#said = numbers?.notation;
    this.#notation = progress?.notation;
    this.#signOfComma = progress?.signOfComma;
  }

  /** Decides how numbers are read. A file keeps its notation to the end, even if the notation of its store changes meanwhile. */
  decide(
    { notation }: FileHints,
    { numbers }: Pick<Store, 'numbers'>,
  ): Pick<RowLayout, 'notation' | 'isSecondReading'> {
    this.#notation = notation ?? this.#said ?? (this.#isBegun ? this.#notation : numbers);
    return { notation: this.#notation, isSecondReading: this.#said !== undefined };
  }

  /** Keeps the first sign of a decimal comma in rejected rows, but not for a dry run, which asks no person. */
  noteSign(row: ReadRow, { message }: CommandFault): void {
    const sign = 'signOfComma' in row ? row.signOfComma : undefined;
    if (this.#notation !== undefined || this.#isDryRun || sign === undefined) return;
    this.#signOfComma ??= `line ${row.number}, ${sign}: ${message}`;
  }

  get facts(): Pick<ReadingCounts, 'notation' | 'signOfComma'> {
    return {
      ...(this.#notation && { notation: this.#notation }),
      ...(this.#signOfComma !== undefined && { signOfComma: this.#signOfComma }),
    };
  }

  /** Holds a file whose numbers may be of another notation. */
  holdOf({ numbers }: ImportRecord, since: IsoTime): Pick<ImportRecord, 'numbers'> {
    if (this.#signOfComma === undefined || numbers !== undefined) return numbers ? { numbers } : {};
    const reason = `the file does not say how it writes numbers (${this.#signOfComma}): rows with such numbers wait until a person says which character is the decimal separator`;
    return { numbers: { hold: { since, reason: boundedText(reason) } } };
  }
}
