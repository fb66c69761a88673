import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conditions } from './interleaved.ts';
import { type Plot, plotSvg } from './plot.ts';

/** What one bench measured. */
export interface Section {
  /** Markdown. */
  readonly text: string;
  readonly plot?: Plot;
  /** Whether the figures are counted, so that they are the same on every machine. Default: false. */
  readonly isCounted?: boolean;
}

const docs = join(import.meta.dirname, '..', '..', 'docs');
const file = join(docs, 'performance.md');

/**
 * Replaces the measured section `name` of docs/performance.md, and says where and when it was measured. Its plot goes to
 * docs/performance/.
 *
 * @throws Error if the page has no such section
 */
export function writeSection(name: string, { text, plot, isCounted }: Section): void {
  const page = readFileSync(file, 'utf8');
  const section = new RegExp(`(?<=<!-- bench: ${name} -->\n).*?(?=<!-- /bench -->)`, 's');
  if (!section.test(page)) throw new Error(`docs/performance.md has no section ${name}`);
  const measured = isCounted ? [] : [`Measured: ${conditions()}.`];
  const parts = [text, ...(plot ? [writePlot(name, plot)] : []), ...measured];
  writeFileSync(
    file,
    page.replace(section, () => `\n${parts.join('\n\n')}\n\n`),
  );
}

/** @returns the plot as Markdown */
function writePlot(name: string, plot: Plot): string {
  const folder = join(docs, 'performance');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.svg`), plotSvg(plot));
  return `![${plot.title}](performance/${name}.svg)`;
}
