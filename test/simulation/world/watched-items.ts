import { VersionedItems } from '../../doubles/versioned-items.ts';

/** Items that report each write. */
export class WatchedItems<T extends object> extends VersionedItems<T> {
  readonly #onWritten: (key: string, value: T, before: T | undefined) => void;

  constructor(onWritten: (key: string, value: T, before: T | undefined) => void) {
    super();
    this.#onWritten = onWritten;
  }

  override replace(key: string, value: T, revision: number | undefined, writeId: object): boolean {
    const before = this.read(key)?.value;
    const isDone = super.replace(key, value, revision, writeId);
    if (isDone) this.#onWritten(key, value, before);
    return isDone;
  }
}
