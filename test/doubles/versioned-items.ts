import { deepFreeze } from './deep-freeze.ts';
import type { Step } from './step.ts';

/** The most attempts of a writer that meets concurrent writers. */
const MAX_TRIES = 20;

/** A value as it was read, with the revision that the next write requires. */
export interface VersionedValue<T> {
  readonly value: T;
  readonly revision: number;
}

/** Items in memory, replaced only if they have not changed since they were read. */
export class VersionedItems<T extends object> {
  readonly #items = new Map<string, VersionedValue<T> & { readonly writeId: object }>();
  /** The revision of each value that was read or written. */
  readonly #revisions = new WeakMap<T, number>();

  /** Returns a separate copy to every reader. */
  read(key: string): VersionedValue<T> | undefined {
    const item = this.#items.get(key);
    return item && this.remember({ value: { ...item.value }, revision: item.revision });
  }

  /** Has a value known to its next writer. */
  remember(read: VersionedValue<T>): VersionedValue<T> {
    this.#revisions.set(read.value, read.revision);
    return read;
  }

  /** A value that was read or written, with its revision. */
  known(value: T | undefined): VersionedValue<T> | undefined {
    const revision = value && this.#revisions.get(value);
    return value && revision !== undefined ? { value, revision } : undefined;
  }

  /** As `all`, with the key of each. */
  entries(): [string, T][] {
    return [...this.#items].map(([key, { value }]) => [key, { ...value }]);
  }

  all(): T[] {
    return [...this.#items.values()].map(({ value }) => ({ ...value }));
  }

  delete(key: string): void {
    this.#items.delete(key);
  }

  /** `false` when another writer was first; a repeat of a write with the same `writeId` succeeds. */
  replace(key: string, value: T, revision: number | undefined, writeId: object): boolean {
    const current = this.#items.get(key);
    if (current?.writeId === writeId) return true;
    if (current?.revision !== revision) return false;
    this.#items.set(key, { value: deepFreeze({ ...value }), revision: (revision ?? 0) + 1, writeId });
    return true;
  }
}

interface UpdatedItem<T extends object> {
  readonly items: VersionedItems<T>;
  readonly key: string;
  readonly step: Step;
  readonly name: string;
  /** What this process has written last, where its next change needs no read. */
  readonly written?: Map<string, VersionedValue<T>>;
}

/** Applies `change` to the newest value and replaces it; tries again when another writer was first. */
export async function updateItem<T extends object>(
  { items, key, step, name, written }: UpdatedItem<T>,
  change: (current: T | undefined) => T | undefined,
  known?: T | 'none',
  finish: (next: T) => Promise<T> = async (next) => next,
): Promise<T | undefined> {
  const read = () => step(`${name}.read ${key}`, () => items.read(key));
  let own = written?.get(key);
  written?.delete(key);
  let current = known === 'none' ? undefined : (items.known(known) ?? own ?? (await read()));
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const revision = current?.revision;
    const next = change(current?.value);
    if (next === undefined && own === undefined) return current?.value;
    const value = next && (await finish(next));
    const writeId = {};
    if (
      value !== undefined &&
      (await step(`${name}.replace ${key}`, () => items.replace(key, value, revision, writeId)))
    ) {
      const stored = items.remember({ value, revision: (revision ?? 0) + 1 });
      written?.set(key, stored);
      return value;
    }
    own = undefined;
    current = await read();
  }
  throw new Error(`${name} ${key} was written too often`);
}
