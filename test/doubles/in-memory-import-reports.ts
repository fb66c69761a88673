import type { ImportReports } from '../../shared/imports/ports.ts';
import { directly, type Step } from './step.ts';

/** The reports of the import bucket in memory, by key. */
export function inMemoryImportReports(
  step: Step = directly,
  objects: Map<string, string> = new Map(),
): ImportReports {
  return {
    putPart: ({ importId }, number, text) =>
      step(`reports.put ${number}`, () => void objects.set(`parts/${importId}/${number}`, text)),
    join: ({ key, importId }, parts) =>
      step('reports.join', () => {
        const texts = Array.from({ length: parts }, (_, number) =>
          objects.get(`parts/${importId}/${number}`),
        );
        const report = `reports/${key}/${importId}.ndjson`;
        objects.set(report, texts.join(''));
        return report;
      }),
  };
}
