import type { Notation } from '../../stores/notation.ts';

const DOT: Notation = { decimal: '.', thousands: ',' };
const OF_DOT: readonly Notation[] = [
  DOT,
  { decimal: '.', thousands: 'space' },
  { decimal: '.', thousands: "'" },
];
const OF_COMMA: readonly Notation[] = [
  { decimal: ',', thousands: '.' },
  { decimal: ',', thousands: 'space' },
  { decimal: ',', thousands: "'" },
];

/** A text read as a number, or why it is none. */
export type NumberReading =
  | { readonly value: number }
  | {
      /** The numbers that the text may mean in other notations: two or one; none if it is not a number in any notation. */
      readonly readings: readonly number[];
      /** Whether only a file with decimal commas can have this text. */
      readonly isSignOfComma: boolean;
      /** Why the text is not read although it has the form of a number. */
      readonly fault?: 'minusZero' | 'inexact' | undefined;
    };

/** A dot before exactly three digits may separate thousands, unless only zeros are before it. */
const AMBIGUOUS = /^[+-]?0*[1-9]\d*\.\d{3}$/;
const CURRENCY = /^rp(?![a-z])/i;
/** Most characters of a number. */
const MAX_LENGTH = 60;
const DIGITS = /^[+-]?[\d.,]+$/;

/**
 * Reads a number. Without a notation, decimals have a dot and thousands have no separator; a text that would be another number in another
 * notation is not read.
 */
export function readNumber(text: string, notation?: Notation): NumberReading {
  if (text.length > MAX_LENGTH) {
    return { readings: [], isSignOfComma: false, fault: DIGITS.test(text) ? 'inexact' : undefined };
  }
  if (notation === undefined && AMBIGUOUS.test(text)) {
    return { readings: [Number(text), Number(text.replace('.', ''))], isSignOfComma: false };
  }
  const read = numberOf(text, notation ?? DOT, notation !== undefined);
  if (typeof read === 'number') return { value: read };
  if (read !== undefined || notation !== undefined) {
    return { readings: [], isSignOfComma: false, fault: read };
  }
  const byDot = readings(text, OF_DOT);
  const byComma = readings(text, OF_COMMA);
  const isSignOfComma = CURRENCY.test(text) || (byDot.length === 0 && byComma.length > 0);
  return { readings: [...new Set([...byDot, ...byComma])], isSignOfComma };
}

function readings(text: string, notations: readonly Notation[]): number[] {
  const read = notations.map((notation) => numberOf(text, notation, true));
  return read.filter((one) => typeof one === 'number');
}

const between = { '.': '\\.', ',': ',', "'": "['\u2019]", space: '[ \u00A0\u2009\u202F]' } as const;

/** The patterns of each notation: without separators of thousands, and with them. */
const patterns = new Map<string, { readonly plain: RegExp; readonly grouped: RegExp }>();

function patternsOf({ decimal, thousands = decimal === '.' ? ',' : '.' }: Notation) {
  const name = `${decimal}${thousands}`;
  const known = patterns.get(name);
  if (known) return known;
  const fraction = `(?:${between[decimal]}(?<fraction>\\d+))`;
  const made = {
    plain: new RegExp(
      `^(?<sign>[+-]?)(?:(?<whole>\\d+)${fraction}?|${fraction.replace('fraction', 'only')})$`,
    ),
    grouped: new RegExp(
      `^(?<sign>[+-]?)(?<whole>[1-9]\\d{0,2}(?:${between[thousands]}\\d{3})+)${fraction}?$`,
    ),
  };
  patterns.set(name, made);
  return made;
}

/** `undefined` for a text that is not a number in this notation. */
function numberOf(
  text: string,
  notation: Notation,
  mayGroup: boolean,
): number | 'minusZero' | 'inexact' | undefined {
  const { plain, grouped } = patternsOf(notation);
  const found = plain.exec(text) ?? (mayGroup ? grouped.exec(text) : null);
  if (found?.groups === undefined) return undefined;
  const { sign = '', whole = '0', fraction, only } = found.groups;
  const digits = whole.replaceAll(/\D/g, '').replace(/^0+(?=\d)/, '');
  const decimals = (fraction ?? only ?? '').replace(/0+$/, '');
  const written = `${sign === '-' ? '-' : ''}${digits}${decimals === '' ? '' : `.${decimals}`}`;
  const value = Number(written);
  // A value below 0 may have been rounded.
  if (Object.is(value, -0)) return 'minusZero';
  // `inexact`: JSON would give back another number.
  return plainText(value, decimals.length) === written ? value : 'inexact';
}

/** toFixed's limit. */
const MOST_DECIMALS = 100;

function plainText(value: number, decimals: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(Math.min(MOST_DECIMALS, decimals)) : text;
}
