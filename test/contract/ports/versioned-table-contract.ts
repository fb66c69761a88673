import { expect, test } from 'vitest';

/** One item, which nobody wrote yet, of a table whose items are replaced while nobody wrote in between. */
export interface VersionedTable<Item> {
  update(change: (current: Item | undefined) => Item | undefined): Promise<Item | undefined>;
  /** A whole item that keeps the number in one of its fields. */
  numbered(number: number): Item;
  numberOf(item: Item): number;
}

const WRITERS = 6;

/** What every such table does, by the same tests; called where the tests of one are described. */
export function versionedTableContract<Item>(open: () => VersionedTable<Item>): void {
  test('an item that nobody wrote is not there, and a change that leaves it so makes none', async () => {
    const { update } = open();
    expect(await update(() => undefined)).toBeUndefined();
    expect(await update(() => undefined)).toBeUndefined();
  });

  test('an item is made, and found again whole', async () => {
    const { update, numbered } = open();
    expect(await update((current) => (current === undefined ? numbered(1) : undefined))).toEqual(numbered(1));
    expect(await update(() => undefined)).toEqual(numbered(1));
  });

  test('a change sees the newest item, and gives what it was changed to', async () => {
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

  test('a change is made anew to what another writer has written in between, so that all count', async () => {
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
