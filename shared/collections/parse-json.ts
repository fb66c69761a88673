/** What a text says as JSON; `undefined` for one that is none, and for `null`. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}
