/**
 * Matches the styles that the command line uses (bold, dim, colours, and their ends), as a group. Also matches characters that act on a
 * terminal, turn the direction of text, or are invisible: with one of these, a name can look like another name. Other styles are not
 * kept, as they could hide a text.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
const ACTING = /(\u001b\[(?:[12]|22|3[1-69])m)|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u1160\u3164]/gu;

/**
 * A text with names and messages of others, made safe for a terminal: each character that would act on it becomes an escape such as
 * `\u001b`, which JSON reads as the same character. Colours stay.
 *
 * @param kept characters that stay; default line feeds and tabs
 */
export function visible(text: string, kept = '\n\t'): string {
  return text.replace(ACTING, (character, colour?: string) =>
    colour !== undefined || kept.includes(character) ? character : escaped(character),
  );
}

/** Each code unit as JSON and shells write it. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** `text` as one line: line feeds and tabs become escapes too. */
export function oneLine(text: string): string {
  return visible(text, '');
}
