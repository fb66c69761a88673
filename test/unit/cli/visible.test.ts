import { expect, test } from 'vitest';
import { fields, table } from '../../../cli/render/table.ts';
import { visible } from '../../../shared/collections/visible.ts';
import { plainTerminal } from './plain-terminal.ts';

/** Sets the title of the terminal, clears it, breaks the line, and turns the direction of what follows. */
const HOSTILE = 'A\u001b]0;title\u0007\u001b[2J\u009b1A\nB\u202e';
const SHOWN = 'A\\u001b]0;title\\u0007\\u001b[2J\\u009b1A\\u000aB\\u202e';

test('characters that act on a terminal are shown as escapes, which JSON reads as the same', () => {
  const json = JSON.stringify({ sku: HOSTILE });
  expect(visible(json)).not.toMatch(/[\p{Cc}\u202e]/u);
  expect(JSON.parse(visible(json))).toEqual({ sku: HOSTILE });
});

test('colours, lines and other characters stay', () => {
  const text = '\u001b[32mNothing needs you.\u001b[39m\n\tقميص 👕 ü';
  expect(visible(text)).toBe(text);
});

test.each([
  ['a mark of direction', '\u200e'],
  ['a mark of Arabic direction', '\u061c'],
  ['a space of no width', '\u200b'],
  ['a joiner of no width', '\u200d'],
  ['a byte order mark', '\ufeff'],
  ['a soft hyphen', '\u00ad'],
  ['a letter without ink', '\u3164'],
  ['half of a character', '\ud83d'],
])('%s is shown as an escape, as a name with it looks like another', (_, character) => {
  const code = character.charCodeAt(0).toString(16).padStart(4, '0');
  expect(visible(`A${character}1`)).toBe(`A\\u${code}1`);
});

test('an invisible tag of two units is shown as both', () => {
  const tagged = 'A\u{e0041}';
  expect(visible(tagged)).toBe('A\\udb40\\udc41');
  expect(JSON.parse(`"${visible(tagged)}"`)).toBe(tagged);
});

test('a style that could hide a text is shown as an escape', () => {
  expect(visible('sku:\u001b[8mhidden')).toBe('sku:\\u001b[8mhidden');
  expect(visible('sku:\u001b[30;40mhidden')).toBe('sku:\\u001b[30;40mhidden');
});

test('a row of a table and a field are one line, whatever is in them', () => {
  expect(table(plainTerminal, ['SKU', 'WHY'], [[HOSTILE, 'x']]).split('\n')[1]).toBe(`${SHOWN}  x`);
  expect(fields([['sku', HOSTILE]])).toBe(`sku  ${SHOWN}`);
});
