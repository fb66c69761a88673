import { afterAll, beforeAll, expect, test } from 'vitest';
import { ndjsonCatalog, skuOf } from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { until } from '../../local/run/until.ts';
import { hastyTemplate } from '../../tools/chaos/hasty-template.ts';

/** Sections of the file, 1,000 rows each. Most rows are broken, as each of those takes a write. */
const SECTIONS = 30;
const GOOD_PER_SECTION = 20;
const BAD_PER_SECTION = 980;
const GOOD = SECTIONS * GOOD_PER_SECTION;
const BAD = SECTIONS * BAD_PER_SECTION;
/** Seconds: too few for the file. */
const IMPORT_TIMEOUT = 1;
/** Seconds until what a killed function had is delivered again. */
const VISIBILITY = 2;
const KILLS = 2;
/** Without progress. */
const STILL_MS = 60_000;
/** Each wait ends by itself. */
const NO_TIMEOUT = 0;

const storeClientId = 'store-1wh';
const key = `catalog/${storeClientId}/large.ndjson`;

let run: ConnectorRun;
let parts = 0;

beforeAll(async () => {
  const template = await hastyTemplate();
  for (const [id, { Properties = {} }] of Object.entries(template.Resources)) {
    if (id.startsWith('CatalogImporterFunction')) Properties.Timeout = IMPORT_TIMEOUT;
    if (id.startsWith('QueuesCatalogImportQueue') && 'RedrivePolicy' in Properties)
      Properties.VisibilityTimeout = VISIBILITY;
  }
  const log = ({ message }: { message: string }) => {
    if (message.includes('part of a file imported')) parts += 1;
  };
  run = await startQuickRun({ template, log });
});

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

test(
  'a file that one invocation has no time for is read in parts, each row once, while its function is killed',
  async () => {
    const sections = Array.from({ length: SECTIONS }, (_, section) => {
      const good = ndjsonCatalog(GOOD_PER_SECTION, section * GOOD_PER_SECTION + 1);
      return `${good}${'{oops\n'.repeat(BAD_PER_SECTION)}`;
    });
    await run.partner.putImportFile(key, sections.join(''));
    const importOfFile = async () => {
      const { body } = await run.partner.callApi('GET', `/imports?storeClientId=${storeClientId}`);
      return body.imports[0];
    };
    const progress = async () => JSON.stringify((await importOfFile())?.rows ?? {});
    const hasEnded = async () => !['reading', 'open', undefined].includes((await importOfFile())?.state);
    for (let kills = 0; kills < KILLS; kills += 1) {
      const before = parts;
      const isFurther = async () => parts > before || (await hasEnded());
      await until('a further part, or the end', isFurther, { withinMs: STILL_MS, progress });
      const isKilled = async () => run.local.functions.kill('CatalogImporter') || (await hasEnded());
      await until('a running importer, or the end', isKilled);
    }
    await until('the end of the import', hasEnded, { withinMs: STILL_MS, everyMs: 500, progress });
    const imported = await importOfFile();
    expect(imported).toMatchObject({
      key,
      state: 'completed_with_errors',
      rows: { read: GOOD + BAD, sent: GOOD, accepted: GOOD, rejected: { ROW_NOT_JSON: BAD }, open: 0 },
    });
    expect(parts).toBeGreaterThan(1);
    const products = (await run.controls?.products(storeClientId))?.products ?? [];
    const expected = Array.from({ length: GOOD }, (_, index) => skuOf(index + 1));
    expect(products.map(({ sku }) => sku).sort()).toEqual(expected);
  },
  NO_TIMEOUT,
);
