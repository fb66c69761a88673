/** The object without its `undefined` fields: in a spread they would override fields of the other object. */
export function definedOf<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}
