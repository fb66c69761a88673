/** The letters of a name, without case, separators and doubled letters. They are the same for `occurredAt` and `occured_at`. */
function lettersOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[\s_.-]/g, '')
    .replaceAll(/(.)\1+/g, '$1');
}

/**
 * A member that is written almost like a known member, while the known member is absent. Its value would be ignored, and the default of
 * the known member would be used.
 */
export function misspelledName(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
): { readonly given: string; readonly meant: string } | undefined {
  for (const given of Object.keys(value)) {
    if (known.includes(given)) continue;
    const letters = lettersOf(given);
    const meant = known.find((name) => lettersOf(name) === letters);
    if (meant !== undefined && value[meant] === undefined) return { given, meant };
  }
  return undefined;
}

/** Whether a name is a known name, or is written almost like one. */
export function isAlmostOneOf(name: string, known: Iterable<string>): boolean {
  const letters = lettersOf(name);
  return [...known].some((one) => lettersOf(one) === letters);
}
