import { oneLine } from '../../collections/visible.ts';
import type { CommandFault } from '../../requests/rules/rejection.ts';
import type { Notation } from '../../stores/notation.ts';
import { readNumber } from './numbers.ts';

/** A cell of a row. */
export interface Cell {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** The value of a cell in its column, or its fault. */
type CellReading =
  | { readonly value: unknown }
  | {
      readonly fault: Pick<CommandFault, 'code' | 'message'>;
      /** Whether only a file with decimal commas can have this cell. */
      readonly isSignOfComma?: boolean;
    };

type ReadCell = (text: string, notation: Notation | undefined, cell: Cell) => CellReading;

/** How the text of a cell becomes a value, by the type of its column. A cell of white space is empty: its field is left out. */
const cellTypes = {
  /** The text unchanged. A quoted cell keeps its white space, as a text of JSON does. */
  text: (text, _, cell) => errorOf(text) ?? { value: textOf(cell) },
  /** No ID has white space around it. */
  id: (text) => ({ value: text }),
  sku: (text, _, cell) => skuReading(text, cell),
  whole: wholeReading,
  stock: stockReading,
  number: (text, notation) => numberReading(text, notation, 'a number'),
  numberOrNull: (text, notation) =>
    text === 'null' ? { value: null } : numberReading(text, notation, 'a number or null'),
  boolean: booleanReading,
  list: (text) => ({ value: splitList(text) }),
  tags: tagsReading,
  warehouses: warehousesReading,
  // An entry may be a `clientId` alone: then the column `stock` has the stock of all warehouses.
  warehouseStock: (text, notation) => {
    if (text.includes(':')) return warehousesReading(text, notation);
    return OTHER_LIST.test(text) ? invalid(text, NOT_BY_BARS) : { value: splitBars(text) };
  },
  /** A number of milliseconds, or the text: the rules of versions judge it. */
  time: (text) => ({ value: /^\d+(\.\d+)?$/.test(text) ? Number(text) : text }),
} as const satisfies Record<string, ReadCell>;
export type ColumnType = keyof typeof cellTypes;

/** Reads a cell of a column; `undefined` for an empty one. */
export function readCell(type: ColumnType, cell: Cell, notation?: Notation): CellReading | undefined {
  const trimmed = cell.text.trim();
  return trimmed === '' ? undefined : cellTypes[type](trimmed, notation, cell);
}

/** The text of a cell as its writer meant it: white space around an unquoted text does not belong to it. */
export function textOf({ text, isQuoted }: Cell): string {
  return isQuoted ? text : text.trim();
}

/** Most characters of a cell that a fault quotes. */
const MAX_QUOTED = 100;

function quoted(text: string): string {
  return oneLine(JSON.stringify(text.slice(0, MAX_QUOTED)));
}

function invalid(text: string, what: string, isSignOfComma = false): CellReading {
  return { fault: { code: 'CELL_INVALID', message: `${quoted(text)} ${what}` }, isSignOfComma };
}

/** A long number as a spreadsheet shortens it. */
const SHORT_NUMBER = /^[+-]?\d+([.,]\d+)?e[+-]?\d+$/i;
const SHORT_SKU = /^[+-]?\d([.,]\d+)?E[+-]\d+$/i;
/** An error that a spreadsheet shows in place of a value. `##`: the column is too narrow. */
const ERROR = /^#(?:N\/A|REF!|NAME\?|VALUE!|DIV\/0!|NUM!|NULL!|SPILL!|CALC!|#{2,})$/i;

/** A whole number with zeros as decimals. Programs write this when a column of numbers has empty cells. */
const DECIMAL_SKU = /^\d{5,}\.0+$/;
/** A code such as `1-5` that a program took for a date. */
const DATE_SKU = /^\d{4}-\d\d-\d\d[ T]00:00:00/;

/** The sign that a program writes in place of a letter that it could not read. */
const LOST = '\uFFFD';
const LOST_FAULT = 'has lost a letter (U+FFFD): write the file in UTF-8 from its source';

/** Why a text is not a SKU, but what a spreadsheet has made of a SKU. */
export function spreadsheetFault(text: string): string | undefined {
  if (SHORT_SKU.test(text)) return 'is what a spreadsheet made of a long number: format the column as text';
  if (text.includes(LOST)) return LOST_FAULT;
  if (DECIMAL_SKU.test(text)) return 'is what a program made of a whole number: write it as text';
  if (DATE_SKU.test(text)) return 'is what a program made of a code that looks like a date: write it as text';
  if (text.startsWith("'"))
    return 'begins with the apostrophe by which spreadsheets mark a text: leave it out';
  return text.startsWith('=') || ERROR.test(text)
    ? 'is a formula or an error of a spreadsheet: save its value as text'
    : undefined;
}

function skuReading(text: string, cell: Cell): CellReading {
  const fault = /[\r\n]/.test(text)
    ? 'has a line break: a quote before it may have no end'
    : spreadsheetFault(text);
  return fault === undefined ? { value: textOf(cell) } : invalid(text, fault);
}

/** The texts that databases export in place of a missing value. */
const NO_VALUE = /^(?:null|\\N)$/i;
/** A formula: with a cell, with a function, or around a text that must stay a text. `=LOVE` and `====` are not formulas. */
const FORMULA = /^=(?:"|[+-]?\$?[A-Z]{1,3}\$?\d|[+-]?[A-Z.]+\()/;

/** Why a text is not a value, but what a program shows in place of a value. */
export function textFault(text: string): string | undefined {
  if (ERROR.test(text)) return 'is what a spreadsheet shows in place of a value: save the value';
  if (FORMULA.test(text)) return 'is a formula of a spreadsheet: save its value as text';
  if (text.includes(LOST)) return LOST_FAULT;
  return NO_VALUE.test(text) ? 'is no text: leave it out' : undefined;
}

function errorOf(text: string): CellReading | undefined {
  const fault = textFault(text);
  return fault === undefined ? undefined : invalid(text, fault);
}

const HINT = 'say how the file writes numbers, by its "decimal"';
/** Separators of thousands other than dot and comma. */
const SPACED = /[ \u00A0\u2009\u202F'\u2019]/;
const SIGNS: Readonly<Record<string, string>> = {
  '.': 'dots',
  ',': 'commas',
  "'": 'apostrophes',
  space: 'spaces',
};

const WHY = {
  minusZero: 'is 0 with a minus: write 0',
  inexact: 'has more digits than computers keep of a number',
} as const;
const CURRENCY = /\p{Sc}|(?<![a-z])(?:rp|aud|chf|cny|eur|gbp|idr|inr|jpy|myr|php|sgd|thb|usd|vnd)(?![a-z])/iu;

function numberReading(text: string, notation: Notation | undefined, expected: string): CellReading {
  const read = readNumber(text, notation);
  if ('value' in read) return read;
  const { readings, isSignOfComma, fault } = read;
  const [first, second] = readings;
  const hint = SPACED.test(text) ? `${HINT} and "thousands"` : HINT;
  if (second !== undefined) {
    const message = `${quoted(text)} is ambiguous, ${first} or ${second}: ${hint}`;
    return { fault: { code: 'NUMBER_AMBIGUOUS', message }, isSignOfComma };
  }
  if (first !== undefined) return invalid(text, `is ${first} in another notation: ${hint}`, isSignOfComma);
  return invalid(
    text,
    fault ? WHY[fault] : `is not ${expected}${whyNoNumber(text, notation)}`,
    isSignOfComma,
  );
}

/** The end of the message about a text that is not a number. */
function whyNoNumber(text: string, notation: Notation | undefined): string {
  if (SHORT_NUMBER.test(text)) return ', but what a spreadsheet made of one: format the column';
  if (CURRENCY.test(text)) return ': leave the currency out';
  if (notation === undefined || !/\d/.test(text)) return '';
  const { decimal, thousands = decimal === '.' ? ',' : '.' } = notation;
  return ` with ${decimal === '.' ? 'a dot' : 'a comma'} before decimals and ${SIGNS[thousands]} between thousands`;
}

function wholeReading(text: string, notation: Notation | undefined): CellReading {
  const read = numberReading(text, notation, 'a whole number');
  return 'value' in read && !Number.isInteger(read.value) ? invalid(text, 'is not a whole number') : read;
}

/** An oversold stock as systems write it: with the mathematical minus in front, with a minus behind as SAP does, or in brackets. */
const OVERSOLD = /^(?:\u2212(?<minus>\d.*)|(?<behind>\d.*?) ?-|\((?<inBrackets>\d.*)\))$/;

/** Reads a stock. Each form of a stock below 0 gives the same value: the store's settings say what such a stock means. */
function stockReading(text: string, notation: Notation | undefined): CellReading {
  const { minus, behind, inBrackets } = OVERSOLD.exec(text)?.groups ?? {};
  const figure = minus ?? behind ?? inBrackets;
  const read = figure === undefined ? undefined : wholeReading(`-${figure}`, notation);
  return read && 'value' in read ? read : wholeReading(text, notation);
}

function booleanReading(text: string): CellReading {
  const word = text.toLowerCase();
  if (word === 'true' || word === 'false') return { value: word === 'true' };
  return invalid(text, 'is not true or false');
}

function split(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function splitBars(text: string): string[] {
  return split(text, '|');
}

/** A list is separated by commas. A list with a bar is separated by bars alone, so that its entries may have commas. */
function splitList(text: string): string[] {
  return text.includes('|') ? splitBars(text) : split(text, ',');
}

/** Signs that show another separator in a list of texts. */
const OTHER_SEPARATOR = /[;\t\r\n\u3001\uFF0C\uFF1B]|\s#/;
const BRACKETS = /^(?:\[.*\]|\{.*\})$/s;

function tagsReading(text: string): CellReading {
  const tags = splitList(text);
  if (BRACKETS.test(text) || tags.some((tag) => OTHER_SEPARATOR.test(tag)))
    return invalid(text, 'is separated otherwise: texts of a list are separated by commas, or by |');
  return tags.map(errorOf).find((error) => error !== undefined) ?? { value: tags };
}

/** A list of warehouses with another separator. It would be read as one `clientId`. */
const OTHER_LIST = /[,;\t\r\n]|:\s*\d+[\s/&+]|^[["{(]/;
const NOT_BY_BARS = 'is separated otherwise: warehouses are separated by |';

function warehousesReading(text: string, notation: Notation | undefined): CellReading {
  const stocks: { clientId: string; stock: unknown }[] = [];
  for (const entry of splitBars(text)) {
    const at = entry.lastIndexOf(':');
    const clientId = entry.slice(0, Math.max(0, at)).trim();
    const count = entry.slice(at + 1).trim();
    if (OTHER_LIST.test(clientId)) return invalid(text, NOT_BY_BARS);
    if (clientId === '' || count === '')
      return invalid(text, 'is not a list of clientId:stock separated by |');
    const stock = stockReading(count, notation);
    if (!('value' in stock)) return stock;
    stocks.push({ clientId, stock: stock.value });
  }
  return { value: stocks };
}
