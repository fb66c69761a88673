import { ndjsonCatalog } from '../../local/run/catalog.ts';
import { until } from '../../local/run/until.ts';
import type { Stage } from './stage.ts';

const ROWS_PER_REQUEST = 100;

export interface ImportedFile {
  readonly storeClientId: string;
  readonly rows: number;
  /** Number of the first product. */
  readonly first: number;
}

/** Imports a file with new products; its final summaries are held. */
export async function importFile(stage: Stage, { storeClientId, rows, first }: ImportedFile): Promise<void> {
  const held = stage.summaries.held + Math.ceil(rows / ROWS_PER_REQUEST);
  const key = `catalog/${storeClientId}/${first}.ndjson`;
  await stage.run.partner.putImportFile(key, ndjsonCatalog(rows, first));
  await until('the notice of the file', async () => (await stage.receive('CatalogImport')) > 0);
  await stage.drain('ProductCommands');
  await until(`${held} final summaries`, async () => stage.summaries.held === held);
}

/** Gives the held final summaries to the stack, which processes them. */
export async function takeSummaries(stage: Stage): Promise<void> {
  await stage.summaries.forward();
  await stage.drain('Summaries');
}
