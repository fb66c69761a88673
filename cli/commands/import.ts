import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { type Command, Option } from 'commander';
import * as z from 'zod';
import { typeFault, typeOfFile } from '../../shared/imports/file/announced-file.ts';
import { type FileKindName, fileKindNames } from '../../shared/imports/rules/file-kinds.ts';
import { type ImportView, importViewSchema } from '../../shared/imports/view.ts';
import { type Context, withContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { sizeOfFile } from '../files.ts';
import {
  decimalOption,
  encodingOption,
  examples,
  type FileOptions,
  hintsOf,
  thousandsOption,
  timeoutOption,
} from '../help.ts';
import { rowsToShow, saveRejects } from '../imports/rejected-rows.ts';
import { wordsOf } from '../invocation.ts';
import { describeImport, progressText } from '../render/import.ts';
import { ImportProgress } from '../render/import-progress.ts';
import { startProgress } from '../render/progress.ts';
import { counted } from '../render/words.ts';
import { outputOf } from '../target/target.ts';
import { poll } from '../wait.ts';

interface Options extends FileOptions {
  readonly store: string;
  readonly kind: FileKindName;
  readonly full?: boolean;
  readonly dryRun?: boolean;
  readonly watch?: boolean;
  readonly rejects?: string;
  readonly timeout: number;
}

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
    .addOption(encodingOption())
    .option('--dry-run', 'check the rows and send nothing')
    .option('--watch', 'show the progress until every row has its outcome')
    .option('--rejects <file>', 'with --watch: write the rejected rows to this file')
    .addOption(timeoutOption('how long --watch waits', 3600))
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
  // A key of its own, so that the import is found by it; the file keeps its name, by which people find it.
  const folder = [dryRun ? 'dry-run/' : '', kind, '/', store, '/', full ? 'full/' : ''].join('');
  const key = `${folder}${new Date().toISOString().replaceAll(/[:.]/g, '-')}/${basename(file)}`;
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
  const ended = await follow(context, { store, key, size, withinMs: timeout });
  const saved = rejects && { rejects: { file: rejects, rows: await saveRejects(context, ended, rejects) } };
  const first = await rowsToShow(context, ended);
  show({ ...ended, ...saved }, () =>
    [
      describeImport(ended, first, context.terminal),
      ...(saved ? [`${counted(saved.rejects.rows, 'rejected row')} in ${rejects}`] : []),
    ].join('\n'),
  );
  if (ended.state === 'completed') return;
  throw failureOf(ended, kind);
}

/** The error of an import that did not end as completed. A file of another kind is the likely cause where no row was taken. */
export function failureOf({ state }: Pick<ImportView, 'state'>, kind: FileKindName): CliError {
  return new CliError(`the import ended as ${state}`, {
    code: 'IMPORT_FAILED',
    exitCode: EXIT.failed,
    ...(kind === 'catalog' &&
      state === 'failed' && {
        hint: 'It was read as products. Stock and prices need --kind stock or --kind prices.',
      }),
  });
}

/** Waits until every row has its outcome, and shows how many have. */
async function follow(
  context: Context,
  { store, key, size, withinMs }: { store: string; key: string; size: number; withinMs: number },
): Promise<ImportView> {
  const page = z.object({ imports: z.array(importViewSchema) });
  const isDrawn = context.terminal.progressLine !== undefined;
  using progress = startProgress(context, 'waiting for the importer');
  const drawn = new ImportProgress(typeOfFile(key)?.gzip ? undefined : size);
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
      progress.show(isDrawn ? drawn.bar(found, Date.now()) : progressText(found));
      return found.state === 'reading' || found.state === 'open' ? undefined : found;
    },
    {
      withinMs,
      what: `the end of the import of ${key}`,
      hint: `It goes on by itself: \`${wordsOf('imports show', [key])}\` tells. This command given again imports the file again.`,
    },
  );
}
