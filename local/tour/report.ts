import type { Paint } from '../run/terminal/terminal.ts';
import type { TourLine } from './context.ts';

/** Columns of the table. */
const TABLE_WIDTH = 100;
const GAP = '  ';

const numbers = ['requests', 'accepted', 'rejected'] as const;

/**
 * The tour's results as a text table: per line what was sent and, below it, the comparison. No text line is longer than
 * `TABLE_WIDTH`.
 */
export function tourTable(lines: readonly TourLine[], paint: Paint): string {
  const stepWidth = Math.max(...lines.map(({ step }) => step.length));
  const head = ['result', 'step'.padEnd(stepWidth), ...numbers].join(GAP);
  const textWidth = TABLE_WIDTH - head.length - GAP.length;
  const rows = lines.flatMap((line) => {
    const cells = [
      verdict(line, paint),
      line.step.padEnd(stepWidth),
      ...numbers.map((name) => String(line[name]).padStart(name.length)),
    ].join(GAP);
    const [first = '', ...more] = [line.sent, line.comparison].flatMap((text) => wrap(text, textWidth));
    return [`${cells}${GAP}${first}`, ...more.map((text) => `${' '.repeat(head.length)}${GAP}${text}`)];
  });
  return [
    paint('bold', `${head}${GAP}sent, and its comparison with the marketplace`),
    '-'.repeat(TABLE_WIDTH),
    ...rows,
  ].join('\n');
}

export function outcomeLine(line: TourLine, paint: Paint): string {
  return `   ${verdict(line, paint)} ${line.step}: ${line.comparison}`;
}

function verdict({ holds }: TourLine, paint: Paint): string {
  return holds ? paint('green', 'holds ') : paint('red', 'FAILS ');
}

/** Wraps a text at its spaces, and cuts words that are longer than a line. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((one) => one.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [])) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}
