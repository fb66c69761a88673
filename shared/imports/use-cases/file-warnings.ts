import { type Warning, Warnings } from '../../warnings/model.ts';
import type { CheckedRow } from '../rules/check-row.ts';
import { warningsOf } from '../rules/row-warnings.ts';
import { SeenNames } from '../rules/seen-names.ts';

/** What the partner should look at in rows that are sent, with the first rows of each kind. */
export class FileWarnings {
  readonly #warnings: Warnings;
  /** Of this invocation: a name that a file has in two parts far from each other is not noticed. */
  readonly #seen = new SeenNames();

  /** @param before those of the earlier parts. */
  constructor(before?: readonly Warning[]) {
    this.#warnings = new Warnings(before);
  }

  get all(): Warning[] {
    return this.#warnings.all;
  }

  add(checked: CheckedRow, number: number): void {
    for (const warning of warningsOf(checked, this.#seen)) this.#warnings.add(warning, number);
  }
}
