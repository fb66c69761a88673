import type { Command } from 'commander';
import { reconcileReportSchema } from '../../shared/drift/rules/reconcile-report.ts';
import { type Context, withContext } from '../context.ts';
import { CliError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { writeGivenFile } from '../files.ts';
import {
  addCommand,
  decimalOption,
  encodingOption,
  type FileOptions,
  hintsOf,
  thousandsOption,
  wholeNumberOption,
} from '../help.ts';
import { type CompareItems, type Comparison, reconcileRows } from '../reconcile/reconcile-rows.ts';
import { readWantedFile } from '../reconcile/wanted-rows.ts';
import { type Counts, countsOf, countsText, renderComparison } from '../render/comparison.ts';
import { startProgress } from '../render/progress.ts';
import { counted } from '../render/words.ts';

interface Options extends FileOptions {
  readonly store: string;
  readonly apply?: boolean;
  readonly asVersion?: number;
  readonly out?: string;
}

export function addReconcile(program: Command): void {
  addCommand(
    program,
    'reconcile',
    'compare a file of prices and stock that should be live with what is live',
    [
      'reconcile prices.csv --store store-0wh',
      'reconcile prices.csv --store store-0wh --apply',
      'reconcile all.ndjson --store store-0wh --out differences.ndjson --json',
    ],
  )
    .argument(
      '<file>',
      'rows of sku or id, price, specialPrice, stock, warehouses as .csv, .ndjson or .json, each also as .gz',
    )
    .requiredOption('--store <storeClientId>', 'the store')
    .option('--apply', 'send the values that differ; without it nothing is sent')
    .option(
      '--as-version <number>',
      'with --apply: version of the sent values, in a store with integer versions (default: now)',
      wholeNumberOption,
    )
    .addOption(decimalOption())
    .addOption(thousandsOption())
    .addOption(encodingOption())
    .option('--out <file>', 'write the differences to this file, as lines of JSON')
    .action(withContext<Options>(reconcile));
}

async function reconcile(context: Context, options: Options, file = ''): Promise<void> {
  const { show, confirm, terminal } = context;
  const { store, apply = false, out } = options;
  const { rows, invalid } = await readWantedFile(file, hintsOf(options));
  if (apply) await confirm(`Send what differs in ${counted(rows.length, 'row')} of ${file} to ${store}?`);
  const compared = await compareAll(context, options, rows);
  const comparison: Comparison = { ...compared, invalid: [...invalid, ...compared.invalid] };
  const { differences, missing, unread, failure } = comparison;
  if (failure !== undefined && unread.length === rows.length) throw failure;
  if (out !== undefined)
    await writeGivenFile(out, differences.map((difference) => `${JSON.stringify(difference)}\n`).join(''));
  const counts = countsOf(comparison);
  show({ store, file, apply, counts, differences, missing, unread, invalid: comparison.invalid }, () => {
    const saved = out && `${counted(differences.length, 'difference')} in ${out}`;
    return renderComparison(comparison, terminal, saved);
  });
  if (failure !== undefined) throw failure;
  throwUnlessLive(counts, apply);
}

async function compareAll(
  context: Context,
  { store, apply = false, asVersion }: Options,
  rows: Parameters<typeof reconcileRows>[0],
): Promise<Comparison> {
  const path = ['stores', store, 'reconcile'];
  const version = asVersion === undefined ? {} : { version: asVersion };
  const compare: CompareItems = (items) =>
    context.api.call(reconcileReportSchema, 'POST', path, { body: { items, apply, ...version } });
  using progress = startProgress(context, 'reading products');
  return await reconcileRows(rows, compare, (done, comparison) => {
    if (done < rows.length) progress.show(`${done} of ${rows.length}: ${countsText(countsOf(comparison))}`);
  });
}

/** Ends the command as failed unless each value is live as the file has it, or was sent. */
function throwUnlessLive({ different, missing, unread, invalid }: Counts, apply: boolean): void {
  if (unread + invalid > 0)
    throw new CliError(`${counted(unread + invalid, 'row')} could not be compared`, {
      code: 'ROWS_NOT_COMPARED',
      exitCode: EXIT.failed,
    });
  const differing = apply ? missing : different + missing;
  if (differing === 0) return;
  throw new CliError(`${counted(differing, 'row')} of the file ${differing === 1 ? 'is' : 'are'} not live`, {
    code: 'DIFFERENCES_FOUND',
    exitCode: EXIT.different,
    ...(!apply && different > 0 && { hint: 'Add --apply to send what differs.' }),
  });
}
