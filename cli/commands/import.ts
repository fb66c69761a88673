import { createReadStream } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { FILE_TYPES, typeOfFile } from '../../shared/imports/file/announced-file.ts';
import { type ImportView, importViewSchema } from '../../shared/imports/model.ts';
import { type FileKindName, fileKindNames } from '../../shared/imports/rules/file-kinds.ts';
import { type Context, withContext } from '../context.ts';
import { ApiError, CliError, usageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { examples, secondsOption } from '../help.ts';
import { startProgress } from '../render/progress.ts';
import { fields } from '../render/table.ts';
import { counted } from '../render/words.ts';
import { outputOf } from '../target/target.ts';
import { poll } from '../wait.ts';

interface Options {
  readonly store: string;
  readonly kind: FileKindName;
  readonly full?: boolean;
  readonly dryRun?: boolean;
  readonly watch?: boolean;
  readonly rejects?: string;
  readonly timeout: number;
}

/** Adds `import`. */
export function addImport(program: Command): void {
  program
    .command('import')
    .description('put a file of products, stock or prices into the import bucket')
    .argument('<file>', 'rows as .ndjson, .json or .csv, each also as .gz')
    .requiredOption('--store <storeClientId>', 'the store')
    .addOption(new Option('--kind <kind>', 'what the rows are').choices(fileKindNames).default('catalog'))
    .option('--full', 'with --kind stock: set the stock of what the file does not name to 0')
    .option('--dry-run', 'check the rows and send nothing')
    .option('--watch', 'show the progress until every row has its outcome')
    .option('--rejects <file>', 'with --watch: write the rejected rows to this file')
    .option('--timeout <seconds>', 'how long --watch waits (default: 3600)', secondsOption, 3_600_000)
    .addHelpText(
      'after',
      examples(
        'import shirts.csv --store store-0wh --watch',
        'import stock.csv --kind stock --store store-0wh --dry-run --watch',
        'import all.ndjson.gz --store store-0wh --watch --rejects rejects.ndjson',
      ),
    )
    .action(withContext<Options>(importFile));
}

async function importFile(context: Context, options: Options, file = ''): Promise<void> {
  const { store, kind, full = false, dryRun = false, watch = false, rejects, timeout } = options;
  const { show, confirm, target } = context;
  if (typeOfFile(file) === undefined) throw usageError(`${file} must end in ${FILE_TYPES}`);
  if (rejects !== undefined && !watch) throw usageError('--rejects goes with --watch');
  if (full && kind !== 'stock') throw usageError('--full goes with --kind stock');
  const { size } = await stat(file).catch(() => {
    throw usageError(`cannot read ${file}`);
  });
  if (!target.isLocal && !dryRun) await confirm(`Import ${file} into ${store} of ${target.name}?`);
  // A key of its own, so that the import is found by it.
  const folder = [dryRun ? 'dry-run/' : '', kind, '/', store, '/', full ? 'full/' : ''].join('');
  const key = `${folder}${new Date().toISOString().replaceAll(/[:.]/g, '-')}-${basename(file)}`;
  await context.aws.objects.send(
    new PutObjectCommand({
      Bucket: outputOf(target, 'ImportBucketName'),
      Key: key,
      Body: createReadStream(file),
      ContentLength: size,
    }),
  );
  if (!watch) return show({ key, size }, () => `${key} (${size} bytes)`);
  const ended = await follow(context, { store, key, withinMs: timeout });
  const rejected = rejects === undefined ? undefined : await saveRejects(context, ended, rejects);
  show({ ...ended, ...(rejected !== undefined && { rejects: { file: rejects, rows: rejected } }) }, () =>
    describe(ended, rejected === undefined ? undefined : `${counted(rejected, 'row')} in ${rejects}`),
  );
  if (ended.state === 'completed') return;
  throw new CliError(`the import ended as ${ended.state}`, { code: 'IMPORT_FAILED', exitCode: EXIT.failed });
}

/** Waits until every row has its outcome, and shows how many have. */
async function follow(
  context: Context,
  { store, key, withinMs }: { store: string; key: string; withinMs: number },
): Promise<ImportView> {
  const page = z.object({ imports: z.array(importViewSchema) });
  using progress = startProgress(context, { max: 100, text: 'waiting for the importer' });
  return await poll(
    async () => {
      const query = { storeClientId: store };
      const { imports } = await context.api.call(page, 'GET', ['imports'], { query });
      const found = imports.find((one) => one.key === key);
      if (found === undefined) return undefined;
      progress.show(percentOf(found), progressText(found));
      return found.state === 'reading' || found.state === 'open' ? undefined : found;
    },
    { withinMs, what: `the end of the import of ${key}` },
  );
}

function rejectedOf({ rows }: ImportView): number {
  return Object.values(rows?.rejected ?? {}).reduce((sum, count) => sum + count, 0);
}

/** One line about an import: how many rows were read, sent, accepted and rejected. */
export function progressText(view: ImportView): string {
  const { rows, state } = view;
  if (rows === undefined) return 'reading the file';
  const { read, sent, accepted, open } = rows;
  return `${state}: read ${read}, sent ${sent}, accepted ${accepted}, rejected ${rejectedOf(view)}, open ${open}`;
}

/** The share of the rows that have their outcome, 0 to 100. */
export function percentOf({ rows }: ImportView): number {
  if (rows === undefined) return 0;
  return rows.read === 0 ? 100 : Math.floor((100 * (rows.read - rows.open)) / rows.read);
}

function describe(view: ImportView, saved: string | undefined): string {
  const { importId, key, rows, fault, full, report, batches } = view;
  return fields([
    ['import', importId],
    ['file', key],
    ['rows', progressText(view)],
    ...Object.entries(rows?.rejected ?? {}).map(([code, count]) => [code, String(count)] as const),
    ['fault', fault && `${fault.code}: ${fault.message}`],
    [
      'full',
      full &&
        `${full.state}: ${full.missing} of ${full.known} listings are not named, ${full.zeroed} set to 0`,
    ],
    ['held', full?.hold?.reason],
    ['report', report],
    ['rejects', saved],
    ...batches.map(({ batchId, state }) => ['batch', `${batchId} ${state}`] as const),
  ]);
}

/**
 * Saves the rows that were rejected as the file was read, and those that the marketplace rejected.
 *
 * @returns the number of rows written
 */
async function saveRejects(
  { api, aws, target }: Context,
  { batches, report }: ImportView,
  file: string,
): Promise<number> {
  const lines: string[] = [];
  if (report !== undefined) {
    const Bucket = outputOf(target, 'ImportBucketName');
    const { Body } = await aws.objects.send(new GetObjectCommand({ Bucket, Key: report }));
    lines.push(...linesOf((await Body?.transformToString()) ?? ''));
  }
  for (const { batchId, rows } of batches) {
    if (rows.rejected === 0) continue;
    const text = await api.text('GET', ['batches', batchId, 'rejects']).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'ROWS_NOT_KEPT') return '';
      throw error;
    });
    lines.push(...linesOf(text));
  }
  await writeFile(file, lines.map((line) => `${line}\n`).join(''));
  return lines.length;
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
