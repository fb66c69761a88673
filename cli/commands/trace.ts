import type { Command } from 'commander';
import { z } from 'zod';
import { storeViewSchema } from '../../shared/stores/model.ts';
import { type Trace, traceSchema } from '../../shared/trace/model.ts';
import type { ApiClient } from '../clients/api-client.ts';
import { type Context, withContext } from '../context.ts';
import { ApiError, CliError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { examples } from '../help.ts';
import { renderTrace } from '../render/trace.ts';

type Query = Readonly<Record<string, string | undefined>>;

/** Stores in which a SKU or an order is looked for without --store. */
const MOST_STORES = 10;
const TARGET = /^(sku|id|externalId):/;

/** Adds `trace`. */
export function addTrace(program: Command): void {
  program
    .command('trace')
    .description('the way of one event, command, batch, product or order, step by step with times')
    .argument(
      '<id>',
      'ID of an event, command, batch or order, invoice number, or SKU (any target as id:… or externalId:…)',
    )
    .option(
      '--store <storeClientId>',
      `the store of a SKU or an order (default: the first ${MOST_STORES} stores)`,
    )
    .option('--live', 'read the product at the marketplace first')
    .addHelpText(
      'after',
      examples(
        'trace DEMO-1',
        'trace A-1 --store store-0wh --live',
        'trace 08e8975e-1fa7-4495-a4bc-3c874a4a351a --json',
      ),
    )
    .action(withContext(showTrace));
}

async function showTrace(
  { api, show, terminal }: Context,
  { store, live = false }: { store?: string; live?: boolean },
  id: string,
): Promise<void> {
  const traces = await findTraces(api, id, { store, live });
  if (traces.length === 0)
    throw new CliError(`no record of ${id}`, {
      code: 'TRACE_UNKNOWN',
      exitCode: EXIT.failed,
      hint: 'It was not received, still waits in its queue, or its record has expired. A product by another name than its SKU: id:… or externalId:…',
    });
  show(traces, () => traces.map((trace) => renderTrace(trace, terminal)).join('\n\n'));
}

/** Looks an ID up as everything that it may be: of the stack first, then of each store. */
async function findTraces(
  api: ApiClient,
  id: string,
  { store, live }: { store: string | undefined; live: boolean },
): Promise<Trace[]> {
  const ofStack: Query[] = TARGET.test(id) ? [] : [{ batchId: id }, { eventId: id, storeClientId: store }];
  const found = await findAll(api, ofStack);
  if (found.length > 0) return found;
  const stores = store === undefined ? await someStores(api) : [store];
  const target = TARGET.test(id) ? id : `sku:${id}`;
  if (live) {
    const reads = await Promise.allSettled(
      stores.map((storeClientId) => readLive(api, storeClientId, target)),
    );
    // Most of the stores do not have the product.
    const [read] = reads;
    if (store !== undefined && read?.status === 'rejected') throw read.reason;
  }
  return findAll(
    api,
    stores.flatMap((storeClientId) =>
      TARGET.test(id)
        ? [{ target, storeClientId }]
        : [
            { target, storeClientId },
            { orderId: id, storeClientId },
            { invoiceNumber: id, storeClientId },
          ],
    ),
  );
}

/** Has the stack read a product at the marketplace, which is then part of the trace. */
async function readLive(api: ApiClient, storeClientId: string, target: string): Promise<void> {
  const query = { target, refresh: true };
  await api.text('GET', ['stores', storeClientId, 'listings'], { query });
}

async function someStores(api: ApiClient): Promise<string[]> {
  const answerSchema = z.object({ stores: z.array(storeViewSchema) });
  const { stores } = await api.call(answerSchema, 'GET', ['stores'], { query: { limit: MOST_STORES } });
  return stores.map(({ storeClientId }) => storeClientId);
}

async function findAll(api: ApiClient, queries: readonly Query[]): Promise<Trace[]> {
  const traces = await Promise.all(queries.map((query) => readTrace(api, query)));
  return traces.filter((trace) => trace !== undefined);
}

/** @returns `undefined` if nothing is known of the subject */
export async function readTrace(api: ApiClient, query: Query): Promise<Trace | undefined> {
  try {
    return await api.call(traceSchema, 'GET', ['trace'], { query });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'TRACE_UNKNOWN') return undefined;
    throw error;
  }
}
