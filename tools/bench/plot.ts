/** One bar: a median with its quartiles. */
export interface Bar {
  readonly label: string;
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

export interface Plot {
  readonly title: string;
  /** Under the axis, such as `CPU, of the usual bundle`. */
  readonly unit: string;
  readonly bars: readonly Bar[];
  /** Drawn as a line, with its value. */
  readonly goal?: number;
}

const WIDTH = 760;
const LABELS = 330;
const VALUES = 70;
const TOP = 44;
const ROW = 26;
const FONT = 'font-family="system-ui, sans-serif" font-size="13" fill="#1f2328"';

/** Bars with their medians, and a line from quartile to quartile, as an SVG image. */
export function plotSvg({ title, unit, bars, goal }: Plot): string {
  const most = Math.max(...bars.map(({ high }) => high), goal ?? 0) || 1;
  const x = (value: number) => LABELS + (value / most) * (WIDTH - LABELS - VALUES);
  const bottom = TOP + bars.length * ROW;
  const drawn = bars.map(({ label, low, median, high }, index) => {
    const y = TOP + index * ROW;
    const middle = y + ROW / 2;
    return [
      text(LABELS - 8, middle + 4, label, 'end'),
      `<rect x="${LABELS}" y="${y + 5}" width="${round(x(median) - LABELS)}" height="${ROW - 10}" fill="#54aeff"/>`,
      line(x(low), middle, x(high), middle, '#0a3069'),
      text(x(Math.max(high, median)) + 6, middle + 4, shortNumber(median)),
    ].join('\n');
  });
  const goalLine =
    goal === undefined
      ? []
      : [
          line(x(goal), TOP - 4, x(goal), bottom, '#cf222e'),
          text(x(goal), TOP - 8, `goal ${shortNumber(goal)}`, 'middle'),
        ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 30}" role="img">`,
    `<title>${escaped(title)}</title>`,
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    text(12, 20, title),
    ...drawn,
    ...goalLine,
    text(LABELS, bottom + 20, unit),
    '</svg>\n',
  ].join('\n');
}

function text(x: number, y: number, content: string, anchor = 'start'): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" ${FONT}>${escaped(content)}</text>`;
}

function line(x1: number, y1: number, x2: number, y2: number, colour: string): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${colour}" stroke-width="1.5"/>`;
}

function shortNumber(value: number): string {
  return value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
