import type { ImportWarning } from '../model.ts';
import type { CheckedRow } from '../rules/check-row.ts';
import { warningsOf } from '../rules/row-warnings.ts';
import { SeenNames } from '../rules/seen-names.ts';

/** Most numbers of rows that a warning names. */
const MOST_NUMBERS = 10;

/** What the partner should look at in rows that are sent, with the first rows of each kind. */
export class FileWarnings {
  readonly #warnings: Map<string, ImportWarning>;
  /** Of this invocation: a name that a file has in two parts far from each other is not noticed. */
  readonly #seen = new SeenNames();

  /** @param before those of the earlier parts. */
  constructor(before: readonly ImportWarning[] = []) {
    this.#warnings = new Map(before.map((warning) => [warning.code, warning]));
  }

  get all(): ImportWarning[] {
    return [...this.#warnings.values()];
  }

  add(checked: CheckedRow, number: number): void {
    for (const { code, message } of warningsOf(checked, this.#seen)) {
      const { rows = 0, numbers = [], ...first } = this.#warnings.get(code) ?? { code, message };
      const more = numbers.length < MOST_NUMBERS ? [...numbers, number] : numbers;
      this.#warnings.set(code, { ...first, rows: rows + 1, numbers: more });
    }
  }
}
