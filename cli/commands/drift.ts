import { type Command, Option } from 'commander';
import * as z from 'zod';
import { chunk } from '../../shared/collections/packer.ts';
import { type DriftKind, driftKindSchema } from '../../shared/drift/rules/view.ts';
import { storeViewSchema } from '../../shared/stores/model.ts';
import { allPages } from '../clients/pages.ts';
import { type Context, withContext } from '../context.ts';
import { type OpenDifference, readDifferences, readDrift, type StoreDrift } from '../drift/read-drift.ts';
import { CliError, usageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { addCommand } from '../help.ts';
import { targetNamed } from '../product-target.ts';
import { renderDrift } from '../render/drift.ts';
import { table } from '../render/table.ts';
import { counted } from '../render/words.ts';

/** The most targets of one call. */
const PER_CALL = 100;
/** The most products that a question names. */
const MOST_NAMED = 10;

export function addDrift(program: Command): void {
  const drift = program.command('drift').description('what is live and differs from what was accepted');
  addCommand(drift, 'list', 'the differences that are open, contested ones included', [
    'drift list',
    'drift list --store store-0wh --json',
    'drift list --kind unknown-product',
  ])
    .option('--store <storeClientId>', 'of this store (default: every connected store)')
    .addOption(
      new Option('--kind <kind>', 'only entries of this kind, which may also be products').choices(
        driftKindSchema.options,
      ),
    )
    .action(withContext(list));
  addCommand(
    drift,
    'repair',
    'send the newest values of products that differ again, also of contested ones',
    [
      'drift repair A-1 --store store-0wh',
      'drift repair sku:A-1 id:0a5e6f0e-7a39-4d0e-9d53-0f4c4d6c1a11 --store store-0wh --yes',
      'drift repair --all --store store-0wh',
    ],
  )
    .argument('[product...]', 'SKUs (any target as id:… or externalId:…)')
    .requiredOption('--store <storeClientId>', 'the store')
    .option('--all', 'every product of the store that differs')
    .action(withContext<{ store: string; all?: boolean }, [string[]?]>(repair));
}

async function list(
  { api, show, terminal }: Context,
  { store, kind }: { store?: string; kind?: DriftKind },
): Promise<void> {
  const stores = store === undefined ? await connectedStores({ api }) : [store];
  const found: StoreDrift[] = [];
  for (const storeClientId of stores) found.push(await readDrift(api, storeClientId, kind));
  show(found, () =>
    found.length === 0 ? 'No store is connected: stores list' : renderDrift(found, terminal),
  );
}

async function connectedStores({ api }: Pick<Context, 'api'>): Promise<string[]> {
  const stores = await allPages(api, ['stores'], { stores: storeViewSchema });
  return stores.filter(({ state }) => state === 'connected').map(({ storeClientId }) => storeClientId);
}

async function repair(
  { api, show, terminal, confirm }: Context,
  { store, all = false }: { store: string; all?: boolean },
  products: readonly string[] = [],
): Promise<void> {
  if (all === products.length > 0) throw usageError('either name the products to repair, or give --all');
  const open = Map.groupBy(await readDifferences(api, store), ({ target }) => target);
  const targets = all ? [...open.keys()] : [...new Set(products.map(targetNamed))];
  const without = targets.filter((target) => !open.has(target));
  if (without.length > 0)
    throw new CliError(`no open difference of ${without.join(', ')} in ${store}`, {
      code: 'NO_DIFFERENCE',
      exitCode: EXIT.failed,
      hint: `See \`drift list --store ${store}\`.`,
    });
  if (targets.length === 0) return show({ repaired: [] }, () => `No difference in ${store} is known.`);
  await confirm(`Send the newest values of ${namesOf(targets, open)} of ${store} again?`);
  const repaired: string[] = [];
  const answer = z.object({ repaired: z.array(z.string()) });
  for (const some of chunk(targets, PER_CALL)) {
    const body = { targets: some };
    const sent = await api.call(answer, 'POST', ['stores', store, 'drift', 'repair'], { body });
    repaired.push(...sent.repaired);
  }
  const rows = repaired.map((target) => [target, registersOf(open.get(target))]);
  show({ repaired }, () =>
    rows.length === 0
      ? `Nothing is sent again: no accepted value of these in ${store} differs any more.`
      : table(terminal, ['PRODUCT', 'SENT AGAIN'], rows),
  );
}

function registersOf(differences: readonly OpenDifference[] = []): string {
  return differences
    .map(({ register, kind }) => (kind === 'contested' ? `${register} (contested)` : register))
    .join(', ');
}

/** `2 products (sku:A-1: price; sku:B-2: stock (contested))`. */
function namesOf(targets: readonly string[], open: ReadonlyMap<string, readonly OpenDifference[]>): string {
  const named = targets.slice(0, MOST_NAMED).map((target) => `${target}: ${registersOf(open.get(target))}`);
  const more = targets.length > MOST_NAMED ? [`and ${targets.length - MOST_NAMED} more`] : [];
  return `${counted(targets.length, 'product')} (${[...named, ...more].join('; ')})`;
}
