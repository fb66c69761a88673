import * as z from 'zod';
import { countSchema } from '../collections/counts.ts';

/** What a partner should look at in rows that are taken all the same. */
export const warningSchema = z.object({
  code: z.string(),
  /** About the first of its rows. */
  message: z.string(),
  rows: countSchema,
  /** Its first rows: numbers in a file, positions from 0 in a call. */
  numbers: z.array(countSchema),
});
export type Warning = z.infer<typeof warningSchema>;

export interface RowWarning {
  readonly code: string;
  readonly message: string;
}

/** Most numbers of rows that a warning names. */
const MOST_NUMBERS = 10;

/** The warnings of rows, with the first rows of each kind. */
export class Warnings {
  readonly #warnings: Map<string, Warning>;

  /** @param before those of earlier rows. */
  constructor(before: readonly Warning[] = []) {
    this.#warnings = new Map(before.map((warning) => [warning.code, warning]));
  }

  get all(): Warning[] {
    return [...this.#warnings.values()];
  }

  add({ code, message }: RowWarning, number: number): void {
    const { rows = 0, numbers = [], ...first } = this.#warnings.get(code) ?? { code, message };
    const more = numbers.length < MOST_NUMBERS ? [...numbers, number] : numbers;
    this.#warnings.set(code, { ...first, rows: rows + 1, numbers: more });
  }
}
