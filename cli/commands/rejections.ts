import { type Command, Option } from 'commander';
import { definedOf } from '../../shared/collections/defined-of.ts';
import { type Rejection, rejectionSchema } from '../../shared/rejections/model.ts';
import { searchSchema } from '../../shared/search/model.ts';
import { entriesFrom } from '../clients/pages.ts';
import { type Context, withContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { cursorOption, examples, type PageOptions, sinceOption, wholeNumberOption } from '../help.ts';
import { targetNamed } from '../product-target.ts';
import { csv } from '../render/csv.ts';
import { table } from '../render/table.ts';
import { moreBehind, noneOf, time } from '../render/words.ts';

interface Options extends PageOptions {
  readonly store?: string;
  readonly sku?: string;
  readonly order?: string;
  readonly invoiceNumber?: string;
  readonly event?: string;
  readonly command?: string;
  readonly batch?: string;
  readonly file?: string;
  readonly code?: string;
  readonly since?: string;
  readonly format: 'table' | 'csv' | 'ndjson';
}

export function addRejections(program: Command): void {
  program
    .command('rejections')
    .description('what was rejected, by the connector or the marketplace, the newest first')
    .option('--store <storeClientId>', 'of this store, or of - for events that name none (default: all)')
    .option('--sku <sku>', 'of this product (any target as id:… or externalId:…)')
    .option('--order <orderId>', 'of this order')
    .option('--invoice-number <number>', 'of the order with this invoice number')
    .option('--event <eventId>', 'that came with this event')
    .option('--command <commandId>', 'that came with this command')
    .option('--batch <batchId>', 'of rows of this batch')
    .option('--file <file>', 'of this file: its name in the import bucket, or the ID of its import')
    .option('--code <code>', 'with this code')
    .option(
      '--since <time>',
      'since a time (2026-11-22T15:00:00Z), or for so long: 30min, 24h, 7d',
      sinceOption,
    )
    .option('--limit <number>', 'most rejections', wholeNumberOption, 50)
    .addOption(cursorOption())
    .addOption(
      new Option('--format <format>', 'form of the output')
        .choices(['table', 'csv', 'ndjson'])
        .default('table'),
    )
    .addHelpText(
      'after',
      examples(
        'rejections',
        'rejections --sku MUG-1 --since 7d',
        'rejections --file stock.csv --format csv > rejected.csv',
        'rejections --store store-0wh --code INV_001 --json',
      ),
    )
    .action(withContext<Options>(list));
}

async function list(context: Context, options: Options): Promise<void> {
  const { api, show, terminal, isJson } = context;
  const { limit, cursor, format } = options;
  const {
    entries: rejections,
    cursor: next,
    message,
  } = await entriesFrom(
    api,
    ['rejections'],
    { rejections: rejectionSchema },
    { ...(await queryOf(context, options)), limit, cursor },
  );
  const notes = [...(message === undefined ? [] : [message]), ...moreBehind(next)];
  if (!isJson && format !== 'table') {
    const file =
      format === 'csv' ? csvOf(rejections) : rejections.map((one) => `${JSON.stringify(one)}\n`).join('');
    terminal.printFile(file);
    for (const note of notes) terminal.note(note);
    return;
  }
  show({ rejections, ...definedOf({ cursor: next, message }) }, () => {
    const isNone = rejections.length === 0 && next === undefined;
    return [isNone ? noRejections(cursor) : rejectionTable(rejections, terminal), ...notes].join('\n');
  });
}

/** Discarded stock and prices are no rejections: they are not listed. */
export function noRejections(cursor: string | undefined): string {
  return `${noneOf('rejection', cursor)} Stock and prices that an operator discarded are in a trace alone.`;
}

/** The parameters of the route. The ID of an import is looked up by the name of its file. */
async function queryOf(context: Context, options: Options) {
  const { store, sku, order, invoiceNumber, event, command, batch, file, code, since } = options;
  return {
    storeClientId: store,
    target: sku === undefined ? undefined : targetNamed(sku),
    orderId: order,
    invoiceNumber,
    eventId: event,
    commandId: command,
    batchId: batch,
    importId: file === undefined ? undefined : await importOf(context, file, store),
    code,
    since,
  };
}

async function importOf({ api }: Context, file: string, storeClientId: string | undefined): Promise<string> {
  const { hits, hasMore } = await api.call(searchSchema, 'GET', ['search'], {
    query: { q: file, storeClientId },
  });
  const imports = hits.filter(({ kind }) => kind === 'file');
  const [first, ...others] = imports;
  if (first === undefined) throw usageError(`no file of the import bucket is named ${file}`);
  if (others.length === 0) return first.id;
  const listed = imports.map(({ id, at }) => `${id} (${time(at)})`).join(', ');
  const times = `${imports.length}${hasMore ? ' or more' : ''} times`;
  throw usageError(`${file} was imported ${times}`, `Name one by its import: ${listed}.`);
}

function rejectionTable(rejections: readonly Rejection[], terminal: Context['terminal']): string {
  const rows = rejections.map((one) => [
    time(one.rejectedAt),
    one.storeClientId,
    subjectOf(one),
    one.code,
    [one.message, one.field, ...factsOf(one), sourceOf(one)].filter(Boolean).join(' · '),
  ]);
  return table(terminal, ['TIME', 'STORE', 'SUBJECT', 'CODE', 'WHY'], rows);
}

function subjectOf({
  orderId,
  invoiceNumber,
  target,
  sku,
  id,
  externalId,
  detailType = '',
}: Rejection): string {
  return orderId ?? invoiceNumber ?? target ?? sku ?? id ?? externalId ?? detailType;
}

/** Facts of the details that tell what is allowed. */
function factsOf({ details = {} }: Rejection): string[] {
  return ['columns', 'allowedSubstatuses'].flatMap((name) => {
    const value = details[name];
    return Array.isArray(value) ? [`${name}: ${value.join(', ')}`] : [];
  });
}

function sourceOf({ origin, batchId, commandId, eventId }: Rejection): string {
  if (origin !== undefined) return origin;
  if (batchId !== undefined) return `batch ${batchId}`;
  return commandId === undefined ? `event ${eventId ?? ''}` : `command ${commandId}`;
}

const COLUMNS = [
  'rejectedAt',
  'storeClientId',
  'code',
  'message',
  'field',
  'sku',
  'id',
  'externalId',
  'orderId',
  'invoiceNumber',
  'rowIndex',
  'detailType',
  'eventId',
  'commandId',
  'batchId',
  'origin',
] as const satisfies readonly (keyof Rejection)[];

function csvOf(rejections: readonly Rejection[]): string {
  return csv(
    COLUMNS,
    rejections.map((one) => COLUMNS.map((name) => one[name])),
  );
}
