import { definedOf } from '../../collections/defined-of.ts';
import type { CommandFault } from '../../requests/rules/rejection.ts';
import type { FileVersion, FullFile } from '../model.ts';

/** Most targets of rejected rows that are kept. With more, a person decides. */
const MOST_SPARED = 100;

/** A file under `full/` before it is read. */
export function beginFull(state: 'counting' | 'reading'): FullFile {
  return { state, known: 0, missing: 0, zeroed: 0, spared: [], isSparedIncomplete: false };
}

/** The version of the rows of a file under `full/`, and the listings that its rejected rows name. */
export class FullRows {
  #version: FileVersion | undefined;
  readonly #spared: Set<string>;
  #isSparedIncomplete: boolean;

  /** @param full the state after the earlier sections. */
  constructor({ version, spared, isSparedIncomplete }: FullFile) {
    this.#version = version;
    this.#spared = new Set(spared);
    this.#isSparedIncomplete = isSparedIncomplete;
  }

  get facts(): Pick<FullFile, 'version' | 'spared' | 'isSparedIncomplete'> {
    const spared = [...this.#spared];
    return definedOf({ version: this.#version, spared, isSparedIncomplete: this.#isSparedIncomplete });
  }

  /** The fault of a row that has another version than the first valid row. */
  faultOf(version: FileVersion | undefined): CommandFault | undefined {
    this.#version ??= version;
    if (version?.kind === this.#version?.kind && version?.value === this.#version?.value) return undefined;
    const message = 'all rows of a file under full/ have one version: that of the first row';
    return { code: 'VERSION_DIFFERS', message };
  }

  /** Keeps the stock of the listing that a rejected row names. `undefined`: the name in the row can't be read. */
  spare(target: string | undefined): void {
    if (target !== undefined && (this.#spared.has(target) || this.#spared.size < MOST_SPARED)) {
      this.#spared.add(target);
    } else this.#isSparedIncomplete = true;
  }
}
