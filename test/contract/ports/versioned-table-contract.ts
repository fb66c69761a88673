import { expect, test } from 'vitest';

/** One item, not yet written, of a table that replaces an item only if it has not changed since it was read. */
export interface VersionedTable<Item> {
  update(change: (current: Item | undefined) => Item | undefined): Promise<Item | undefined>;
  /** A whole item that keeps the number in one of its fields. */
  numbered(number: number): Item;
  numberOf(item: Item): number;
}

const WRITERS = 6;

/** The tests that every such table passes; called inside the `describe` of a table. */
export function versionedTableContract<Item>(open: () => VersionedTable<Item>): void {
  test('update returns nothing for an item that was never written, and creates none when the change returns none', async () => {
    const { update } = open();
    expect(await update(() => undefined)).toBeUndefined();
    expect(await update(() => undefined)).toBeUndefined();
  });

  test('update creates an item and returns it whole', async () => {
    const { update, numbered } = open();
    expect(await update((current) => (current === undefined ? numbered(1) : undefined))).toEqual(numbered(1));
    expect(await update(() => undefined)).toEqual(numbered(1));
  });

  test('update passes the newest item to the change and returns the result', async () => {
    const { update, numbered } = open();
    await update(() => numbered(1));
    const seen: (Item | undefined)[] = [];
    const change = (current: Item | undefined) => {
      seen.push(current);
      return numbered(2);
    };
    expect(await update(change)).toEqual(numbered(2));
    expect(seen).toEqual([numbered(1)]);
    expect(await update(() => undefined)).toEqual(numbered(2));
  });

  test('update repeats the change on the newest item after a concurrent write, so that every change counts', async () => {
    const { update, numbered, numberOf } = open();
    let changes = 0;
    const count = () =>
      update((current) => {
        changes += 1;
        return numbered(current === undefined ? 1 : numberOf(current) + 1);
      });
    await Promise.all(Array.from({ length: WRITERS }, count));
    expect(await update(() => undefined)).toEqual(numbered(WRITERS));
    expect(changes).toBeGreaterThan(WRITERS);
  });
}
