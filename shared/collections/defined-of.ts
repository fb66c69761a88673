/** The object without the fields that are `undefined`: spread into another, they would hide its own. */
export function definedOf<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}
