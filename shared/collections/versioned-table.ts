/** Computes the new record from the newest one; `undefined` keeps the newest one. */
export type Change<Item> = (current: Item | undefined) => Item | undefined;

/** A table in which several writers may change one record. */
export interface VersionedTable<Item, Key extends readonly string[]> {
  /**
   * Applies `change` to the newest record and stores the result by a conditional write. Calls `change` again if another
   * writer was faster.
   *
   * @returns the resulting record.
   */
  update(...keyAndChange: [...key: Key, change: Change<Item>]): Promise<Item | undefined>;
}
