/** Makes the new record of the newest one; `undefined` leaves it as it is. */
export type Change<Item> = (current: Item | undefined) => Item | undefined;

/** A table in which several writers change one record; `Key`: what names it. */
export interface VersionedTable<Item, Key extends readonly string[]> {
  /**
   * Applies `change` to the newest record and stores the result, as one conditional write; calls it again when another
   * writer came between.
   *
   * @returns the record as it then stands.
   */
  update(...keyAndChange: [...key: Key, change: Change<Item>]): Promise<Item | undefined>;
}
