import { type Command, Option } from 'commander';
import * as z from 'zod';
import {
  type BatchRecord,
  batchRecordSchema,
  batchStateSchema,
  creationOf,
  listedBatchSchema,
} from '../../shared/batches/model.ts';
import { batchKindSchema } from '../../shared/events/outgoing.ts';
import { entriesFrom } from '../clients/pages.ts';
import { type Context, withContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { writeGivenFile } from '../files.ts';
import { forEach, oneOrAll } from '../for-each.ts';
import { addCommand, cursorOption, type PageOptions, sinceOption, wholeNumberOption } from '../help.ts';
import { wordsOf } from '../invocation.ts';
import { targetNamed } from '../product-target.ts';
import { fields, table } from '../render/table.ts';
import { triesText } from '../render/tries.ts';
import { counted, moreBehind, noneOf, time } from '../render/words.ts';

interface ListOptions extends PageOptions {
  readonly store?: string;
  readonly state?: string;
  readonly kind?: string;
  readonly since?: string;
  readonly sku?: string;
}

interface ResolveOptions {
  readonly rest?: string;
  readonly accepted?: number[];
  readonly rejected?: number[];
}

const OUTCOMES = ['accepted', 'rejected'];

export function addBatches(program: Command): void {
  const batches = program.command('batches').description('bulk requests and the outcome of each row');
  addCommand(batches, 'list', 'batches, the newest first', [
    'batches list',
    'batches list --state unresolved --store store-0wh',
    'batches list --sku MUG-1',
  ])
    .option('--store <storeClientId>', 'of this store')
    .addOption(new Option('--state <state>', 'in this state').choices(batchStateSchema.options))
    .addOption(new Option('--kind <kind>', 'of this kind').choices(batchKindSchema.options))
    .option('--sku <sku>', 'the last ones of this product (any target as id:… or externalId:…)')
    .option(
      '--since <time>',
      'submitted since (2026-11-22T15:00:00Z), or for so long: 30min, 24h, 7d',
      sinceOption,
    )
    .option('--limit <number>', 'most batches', wholeNumberOption, 20)
    .addOption(cursorOption())
    .action(withContext<ListOptions>(list));
  addCommand(batches, 'show <batchId>', 'a batch with its rejected and unknown rows', [
    'batches show BATCH',
  ]).action(withContext(showOne));
  addCommand(batches, 'retry <batchId>', 'send failed rows of a batch of products again, as a new batch', [
    'batches retry BATCH --yes',
  ])
    .option('--failed', 'all rows that failed, not only those that may succeed as they are')
    .action(withContext(retry));
  addCommand(
    batches,
    'read-back <batchId...>',
    'read the unknown rows of a batch at the marketplace, and end it',
    ['batches read-back BATCH'],
  ).action(withContext<object, [string[]]>(readBack));
  addCommand(batches, 'resolve <batchId...>', 'end a batch by the outcomes that you found out', [
    'batches resolve BATCH --rejected 3 --rest accepted --yes',
  ])
    .addOption(
      new Option('--rest <outcome>', 'outcome of all unknown rows that are not named').choices(OUTCOMES),
    )
    .option('--accepted <row...>', 'rows that were accepted, by rowIndex', rowOption)
    .option('--rejected <row...>', 'rows that were rejected, by rowIndex', rowOption)
    .action(withContext<ResolveOptions, [string[]]>(resolve));
  addCommand(
    batches,
    'rejects <batchId>',
    'the failed rows of a batch of products, as a file to correct and import',
    ['batches rejects BATCH --out rejects.ndjson'],
  )
    .option('--out <file>', 'write them to this file (default: standard output)')
    .action(withContext(rejects));
}

function rowOption(text: string, previous: number[] = []): number[] {
  return [...previous, wholeNumberOption(text)];
}

async function list({ api, show, showCursor, terminal }: Context, options: ListOptions): Promise<void> {
  const { store: storeClientId, state, kind, since, sku, limit, cursor } = options;
  const target = sku === undefined ? undefined : targetNamed(sku);
  const query = { storeClientId, state, kind, since, target, limit, cursor };
  const { entries: batches, cursor: next } = await entriesFrom(
    api,
    ['batches'],
    { batches: listedBatchSchema },
    query,
  );
  const rows = batches.map((batch) => [
    batch.batchId,
    batch.kind ?? '',
    time(batch.submittedAt),
    batch.storeClientId ?? '',
    [batch.state, triesText(batch.tries)].filter(Boolean).join(' · '),
    countsOf(batch.rows),
  ]);
  show(batches, () => {
    if (rows.length === 0 && target !== undefined)
      return 'No batch with its last stock or prices, and none that rejected a row of it: `trace` tells more.';
    if (rows.length === 0) return noneOf('batch that fits', cursor);
    const drawn = table(terminal, ['BATCH', 'KIND', 'SUBMITTED', 'STORE', 'STATE', 'ROWS'], rows);
    return [drawn, ...moreBehind(next)].join('\n');
  });
  showCursor(next);
}

/** `2/3 accepted, 1 rejected`. */
export function countsOf({ sent, accepted, rejected, unknown }: BatchRecord['rows']): string {
  const others = [rejected > 0 && `${rejected} rejected`, unknown > 0 && `${unknown} unknown`];
  return [`${accepted}/${sent} accepted`, ...others].filter(Boolean).join(', ');
}

async function showOne({ api, show, terminal }: Context, _: object, batchId: string): Promise<void> {
  const batch = await api.call(batchRecordSchema, 'GET', ['batches', batchId]);
  show(batch, () => describe(batch, terminal));
}

function describe(batch: BatchRecord, terminal: Context['terminal']): string {
  const { batchId, kind, state, storeClientId, rows, commandId, commandIds } = batch;
  const rejected = batch.rejectedRows.map(({ rowIndex, code, message, ...row }) => [
    String(rowIndex ?? ''),
    nameOf(row),
    code,
    message,
  ]);
  const unknown = (batch.unknownRows ?? []).map(({ rowIndex, ...row }) => [String(rowIndex), nameOf(row)]);
  return [
    fields([
      ['batch', batchId],
      ['kind', kind],
      ['state', `${state}, ${countsOf(rows)}`],
      ['store', storeClientId],
      ['its batch', batch.matchedTo],
      ['tries', triesText(batch.tries)],
      ['command', commandId ?? commandIds?.join(', ')],
      ['submitted', time(batch.submittedAt)],
      ['ended', time(batch.completedAt)],
      ['contradicted', batch.submission && contradictedText(batch)],
      ['read back after', batch.completedAt === undefined ? time(batch.deadlineAt) : undefined],
    ]),
    ...(rejected.length === 0 ? [] : [`\n${table(terminal, ['ROW', 'NAME', 'REJECTED', 'WHY'], rejected)}`]),
    ...(unknown.length === 0 ? [] : [`\n${table(terminal, ['ROW', 'UNKNOWN'], unknown)}`]),
    ...nextOf(batch),
  ].join('\n');
}

function contradictedText({ batchId, contradictions = [] }: BatchRecord): string | undefined {
  if (contradictions.length === 0) return undefined;
  return `by ${contradictions.length} of its final summaries: ${wordsOf('trace', [batchId])}`;
}

/** What can be done with failed rows of products: those that may succeed unchanged are sent again, the others are corrected. */
function nextOf({ batchId, kind, rejectedRows }: BatchRecord): string[] {
  if (creationOf(kind) === undefined || rejectedRows.length === 0) return [];
  const again = rejectedRows.some(({ details }) => details?.retryable === true);
  const correct = `Correct them and import them again: ${wordsOf('batches rejects', [batchId], ['--out', 'rejects.ndjson'])}`;
  const retry = `Send those again that may succeed as they are: ${wordsOf('batches retry', [batchId])}`;
  return ['', ...(again ? [retry] : []), correct];
}

function nameOf({
  sku,
  id,
  externalId,
  orderId,
  invoiceNumber,
}: Partial<BatchRecord['rejectedRows'][number]>): string {
  return sku ?? id ?? externalId ?? orderId ?? invoiceNumber ?? '';
}

async function retry(
  context: Context,
  { failed = false }: { failed?: boolean },
  batchId: string,
): Promise<void> {
  const { api, show, confirm } = context;
  const rows = failed ? 'failed' : 'retryable';
  await confirm(`Send the ${rows} rows of batch ${batchId} again?`);
  const answer = z.object({ commandId: z.string(), rows: z.number() });
  const sent = await api.call(answer, 'POST', ['batches', batchId, 'retry'], { body: { rows } });
  show(sent, () => `${counted(sent.rows, 'row')} queued as command ${sent.commandId}`);
}

async function readBack(
  { api, show, terminal, confirm }: Context,
  _: object,
  ids: readonly string[],
): Promise<void> {
  await confirm(`Read the unknown rows of batch ${ids.join(', ')} back, and end it?`);
  const ended = await forEach(ids, (id) => api.call(batchRecordSchema, 'POST', ['batches', id, 'read-back']));
  show(oneOrAll(ended), () => ended.map((batch) => describe(batch, terminal)).join('\n\n'));
}

async function resolve(context: Context, options: ResolveOptions, ids: readonly string[]): Promise<void> {
  const { api, show, terminal, confirm } = context;
  const { rest, accepted = [], rejected = [] } = options;
  const rows = [
    ...accepted.map((rowIndex) => ({ rowIndex, outcome: 'accepted' })),
    ...rejected.map((rowIndex) => ({ rowIndex, outcome: 'rejected' })),
  ];
  if (rows.length === 0 && rest === undefined) throw usageError('give --accepted, --rejected or --rest');
  if (rows.length > 0 && ids.length > 1) throw usageError('--accepted and --rejected are of one batch');
  const named = rows.map(({ rowIndex, outcome }) => `row ${rowIndex} ${outcome}`);
  await confirm(
    `End batch ${ids.join(', ')}: ${[...named, ...(rest ? [`all other rows ${rest}`] : [])].join(', ')}?`,
  );
  const body = { rows, ...(rest !== undefined && { rest }) };
  const ended = await forEach(ids, (id) =>
    api.call(batchRecordSchema, 'POST', ['batches', id, 'resolve'], { body }),
  );
  show(oneOrAll(ended), () => ended.map((batch) => describe(batch, terminal)).join('\n\n'));
}

async function rejects(
  { api, show, terminal }: Context,
  { out }: { out?: string },
  batchId: string,
): Promise<void> {
  const text = (await api.text('GET', ['batches', batchId, 'rejects'])).trimEnd();
  if (out === undefined) return terminal.print(text);
  await writeGivenFile(out, `${text}\n`);
  const rows = text === '' ? 0 : text.split('\n').length;
  show({ file: out, rows }, () => `${counted(rows, 'row')} in ${out}`);
}
