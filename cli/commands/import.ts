import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { type Command, Option } from 'commander';
import * as z from 'zod';
import { definedOf } from '../../shared/collections/defined-of.ts';
import { typeFault, typeOfFile } from '../../shared/imports/file/announced-file.ts';
import { type ImportView, importViewSchema } from '../../shared/imports/model.ts';
import { type FileKindName, fileKindNames } from '../../shared/imports/rules/file-kinds.ts';
import { type Context, withContext } from '../context.ts';
import { ApiError, CliError, usageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { sizeOfFile, writeGivenFile } from '../files.ts';
import { decimalOption, examples, type NotationOptions, secondsOption, thousandsOption } from '../help.ts';
import { describeImport, progressText } from '../render/import.ts';
import { startProgress } from '../render/progress.ts';
import { counted } from '../render/words.ts';
import { outputOf } from '../target/target.ts';
import { poll } from '../wait.ts';

interface Options extends NotationOptions {
  readonly store: string;
  readonly kind: FileKindName;
  readonly full?: boolean;
  readonly dryRun?: boolean;
  readonly encoding?: string;
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
    .addOption(decimalOption())
    .addOption(thousandsOption())
    .option(
      '--encoding <name>',
      'its encoding, such as windows-1252, shift_jis, gbk or utf-16le (default: UTF-8)',
    )
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
  if (typeOfFile(file) === undefined) throw usageError(`${file}: ${typeFault(file)}`);
  // It is a folder of the key: a slash would name another store.
  if (store === '' || store.includes('/')) throw usageError('--store must be an ID without a slash');
  if (rejects !== undefined && !watch) throw usageError('--rejects goes with --watch');
  if (full && kind !== 'stock') throw usageError('--full goes with --kind stock');
  const size = await sizeOfFile(file);
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
      Metadata: hintsOf(options),
    }),
  );
  if (!watch) return show({ key, size }, () => `${key} (${size} bytes)`);
  const ended = await follow(context, { store, key, withinMs: timeout });
  const saved = rejects && { rejects: { file: rejects, rows: await saveRejects(context, ended, rejects) } };
  show({ ...ended, ...saved }, () =>
    [
      describeImport(ended),
      ...(saved ? [`${counted(saved.rejects.rows, 'rejected row')} in ${rejects}`] : []),
    ].join('\n'),
  );
  if (ended.state === 'completed') return;
  throw new CliError(`the import ended as ${ended.state}`, { code: 'IMPORT_FAILED', exitCode: EXIT.failed });
}

/** The metadata by which the importer reads the file. */
function hintsOf({ decimal, thousands, encoding }: Options): Record<string, string> {
  return definedOf({ decimal, thousands, encoding }) as Record<string, string>;
}

/** Waits until every row has its outcome, and shows how many have. */
async function follow(
  context: Context,
  { store, key, withinMs }: { store: string; key: string; withinMs: number },
): Promise<ImportView> {
  const page = z.object({ imports: z.array(importViewSchema) });
  using progress = startProgress(context, 'waiting for the importer');
  let importId: string | undefined;
  const find = async () => {
    if (importId !== undefined) return context.api.call(importViewSchema, 'GET', ['imports', importId]);
    const query = { storeClientId: store };
    const { imports } = await context.api.call(page, 'GET', ['imports'], { query });
    return imports.find((one) => one.key === key);
  };
  return await poll(
    async () => {
      const found = await find();
      if (found === undefined) return undefined;
      importId = found.importId;
      progress.show(progressText(found));
      return found.state === 'reading' || found.state === 'open' ? undefined : found;
    },
    { withinMs, what: `the end of the import of ${key}` },
  );
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
  await writeGivenFile(file, lines.map((line) => `${line}\n`).join(''));
  return lines.length;
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
