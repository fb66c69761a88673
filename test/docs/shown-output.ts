import { expect } from 'vitest';

/** Stands in a page's JSON for further fields of an object (`"…": "…"`), further elements of a list, or any text. */
const MORE = '…';

/** What differs from run to run, each with the word that stands for it. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<uuid>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  [/"sha256":\s*"[0-9a-f]{64}"/g, '"sha256": "<sha256>"'],
  [/\b1[5-9]\d{11}\b/g, '1500000000000'],
  [/INV-\d{8}-\d{6}/g, '<invoice>'],
  [/"size":\s*\d+/g, '"size": 0'],
  [/"durationMs":\s*[\d.]+/g, '"durationMs": 0'],
  [/127\.0\.0\.1:\d+/g, '<host>'],
];

/** Checks that a command printed what its page shows, but for IDs, times and what differs from run to run. */
export function expectShown(
  printed: string,
  { language, text }: { language: 'json' | 'text'; text: string },
): void {
  const actual = withoutVarying(printed.trim());
  const shown = withoutVarying(text.trim());
  if (language === 'text') expect(actual).toEqual(expect.stringMatching(patternOf(shown)));
  else expect(valuesOf(actual)).toEqual(valuesOf(shown).map(asPattern));
}

function withoutVarying(text: string): string {
  return VARYING.reduce((result, [pattern, word]) => result.replaceAll(pattern, word), text);
}

function patternOf(shown: string): RegExp {
  const parts = shown.split(MORE).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

/** A text of one JSON value, or of one on each line. */
function valuesOf(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return text.split('\n').map((line) => JSON.parse(line));
  }
}

function asPattern(shown: unknown): unknown {
  if (shown === MORE) return expect.any(String);
  if (Array.isArray(shown)) {
    const known = shown.filter((element) => element !== MORE).map(asPattern);
    return known.length < shown.length ? expect.arrayContaining(known) : known;
  }
  if (typeof shown !== 'object' || shown === null) return shown;
  const { [MORE]: more, ...fields } = shown as Record<string, unknown>;
  const known = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, asPattern(value)]));
  return more === undefined ? known : expect.objectContaining(known);
}
