import type { Command } from 'commander';
import { type Context, withContext } from '../context.ts';
import { findTraces, MOST_STORES, searchTraces } from '../events/find-traces.ts';
import { examples } from '../help.ts';
import { renderTrace } from '../render/trace.ts';
import { zoneOption } from '../render/zone.ts';

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
      `only this store (default: all stores; with --live the product is read in the first ${MOST_STORES})`,
    )
    .option('--time-zone <zone>', 'UTC (default), local, or a name such as Europe/Berlin', zoneOption)
    .option('--live', 'read the product at the marketplace first')
    .addHelpText(
      'after',
      examples(
        'trace DEMO-1',
        'trace A-1 --store store-0wh --live',
        'trace A-1 --time-zone local',
        'trace 08e8975e-1fa7-4495-a4bc-3c874a4a351a --json',
      ),
    )
    .action(withContext(showTrace));
}

async function showTrace(
  { api, show, terminal }: Context,
  { store, live = false, timeZone }: { store?: string; live?: boolean; timeZone?: string },
  id: string,
): Promise<void> {
  const known = await findTraces(api, id, { store, live });
  const traces = known.length > 0 ? known : await searchTraces(api, id, store);
  show(traces, () => traces.map((trace) => renderTrace(trace, terminal, timeZone)).join('\n\n'));
}
