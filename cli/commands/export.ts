import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import * as z from 'zod';
import { listedBatchSchema } from '../../shared/batches/model.ts';
import { listingViewSchema } from '../../shared/listings/rules/listing-view.ts';
import { orderViewSchema } from '../../shared/orders/model.ts';
import { rejectionSchema, UNKNOWN_STORE } from '../../shared/rejections/model.ts';
import { storeViewSchema } from '../../shared/stores/model.ts';
import type { ApiClient, Path } from '../clients/api-client.ts';
import { allPages, entriesOf } from '../clients/pages.ts';
import { type Context, withContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { writeGivenFile } from '../files.ts';
import { addCommand } from '../help.ts';
import { table } from '../render/table.ts';

/** What is exported, by the name of its list in the answers: the paths of its lists, and the schema of an entry. */
const LISTS: Readonly<
  Record<string, { readonly schema: z.ZodType; readonly paths: (stores: readonly string[]) => Path[] }>
> = {
  stores: { schema: storeViewSchema, paths: () => [['stores']] },
  listings: { schema: listingViewSchema, paths: ofEach('listings') },
  batches: { schema: listedBatchSchema, paths: () => [['batches']] },
  orders: { schema: orderViewSchema, paths: ofEach('orders') },
  rejections: {
    schema: rejectionSchema,
    paths: (stores) => ofEach('rejections')([...stores, UNKNOWN_STORE]),
  },
};

function ofEach(list: string) {
  return (stores: readonly string[]): Path[] => stores.map((store) => ['stores', store, list]);
}

export function addExport(program: Command): void {
  addCommand(
    program,
    'export',
    'write stores, listings, batches, orders and rejections as JSON lines, with their schemas',
    ['export --to leaving --stack MarketplaceConnector --region eu-west-1'],
  )
    .requiredOption('--to <folder>', 'the folder of the files')
    .action(withContext<{ to: string }>(exportAll));
}

async function exportAll({ api, show, terminal }: Context, { to }: { to: string }): Promise<void> {
  const written = await exportTo(api, to);
  const rows = Object.entries(written).map(([name, count]) => [`${name}.ndjson`, String(count)]);
  show(written, () => table(terminal, ['FILE', 'LINES'], rows));
}

/** Writes each list into a folder. Returns the lines of each file. */
export async function exportTo(api: ApiClient, folder: string): Promise<Record<string, number>> {
  await mkdir(folder, { recursive: true }).catch(({ code }) => {
    throw usageError(`cannot write ${folder}: ${code}`);
  });
  const stores = (await allPages(api, ['stores'], { stores: storeViewSchema })).map(
    ({ storeClientId }) => storeClientId,
  );
  const written: Record<string, number> = {};
  for (const [name, { schema, paths }] of Object.entries(LISTS)) {
    let lines = 0;
    const entries = async function* () {
      for (const path of paths(stores)) {
        for await (const entry of entriesOf(api, path, { [name]: schema })) {
          lines += 1;
          yield `${JSON.stringify(entry)}\n`;
        }
      }
    };
    await pipeline(Readable.from(entries()), createWriteStream(join(folder, `${name}.ndjson`)));
    const description = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
    await writeGivenFile(join(folder, `${name}.schema.json`), `${JSON.stringify(description, null, 2)}\n`);
    written[name] = lines;
  }
  return written;
}
