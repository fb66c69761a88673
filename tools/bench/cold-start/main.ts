import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleHandlers } from '../../../infra/bundle.ts';
import { markdownTable } from '../../describe/pages/markdown.ts';
import { barOf, interleaved, median, spread } from '../interleaved.ts';
import type { Section } from '../page.ts';
import { bundleUsualFunction, sizeOf } from './bundles.ts';
import { startColdImports } from './cold-import.ts';

/** A cold import varies by a quarter from one to the next. */
const ROUNDS = 25;
const USUAL = 'the usual bundle';

/** Each function's bundle and cold import beside the usual ones, as a table. */
export async function benchColdStart(): Promise<Section> {
  const directory = mkdtempSync(join(tmpdir(), 'connector-bench-'));
  const imports = await startColdImports('--enable-source-maps');
  try {
    const folders = {
      [USUAL]: await bundleUsualFunction(directory),
      ...(await bundleHandlers({ outputDirectory: join(directory, 'functions') })),
    };
    const passed: Record<string, number[]> = {};
    const contenders = Object.fromEntries(
      Object.entries(folders).map(([name, folder]) => [
        name,
        async () => {
          const { cpuMs, passedMs } = await imports.importOnce(folder);
          passed[name] = [...(passed[name] ?? []), passedMs];
          return cpuMs;
        },
      ]),
    );
    const measured = await interleaved(contenders, ROUNDS);
    const usual = sizeOf(folders[USUAL] ?? '');
    const rows = measured.map(({ name, values, ratios }) => {
      const { kilobytes, files } = sizeOf(folders[name as keyof typeof folders]);
      const size = `${kilobytes} (${(kilobytes / usual.kilobytes).toFixed(2)} ×)`;
      return [
        name,
        size,
        String(files),
        spread(values, 0),
        `${spread(ratios)}`,
        median(passed[name] ?? []).toFixed(0),
      ];
    });
    return {
      text: markdownTable(['function', 'KB', 'files', 'CPU, ms', 'CPU, of the usual', 'passed, ms'], rows),
      plot: {
        title: 'Cold imports',
        unit: 'CPU, of the usual bundle',
        bars: measured.map(({ name, ratios }) => barOf(name, ratios)),
        goal: 0.9,
      },
    };
  } finally {
    imports.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
