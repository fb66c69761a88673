import { GetObjectCommand } from '@aws-sdk/client-s3';
import { sumOf } from '../../shared/collections/counts.ts';
import { placeOfKey } from '../../shared/imports/file/announced-file.ts';
import type { ImportView } from '../../shared/imports/view.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { writeGivenFile } from '../files.ts';
import { wordsOf } from '../invocation.ts';
import { counted } from '../render/words.ts';
import { outputOf } from '../target/target.ts';

/** Rejected rows that are shown one by one. */
const MOST_SHOWN = 10;

/** The rejected rows of a file as lines of a file to import again: those of its report, and of a catalog those of its batches. */
export async function* rejectedRows(
  { api, aws, target }: Pick<Context, 'api' | 'aws' | 'target'>,
  { key, batches, report }: Pick<ImportView, 'key' | 'batches' | 'report'>,
): AsyncGenerator<string, void, undefined> {
  if (report !== undefined) {
    const Bucket = outputOf(target, 'ImportBucketName');
    const { Body } = await aws.objects.send(new GetObjectCommand({ Bucket, Key: report }));
    yield* linesOf((await Body?.transformToString()) ?? '');
  }
  // The report of stock and prices has the rows of batches too.
  if (placeOfKey(key).kind !== 'catalog') return;
  for (const { batchId, rows } of batches) {
    if (rows.rejected === 0) continue;
    const text = await api.text('GET', ['batches', batchId, 'rejects']).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'ROWS_NOT_KEPT') return '';
      throw error;
    });
    yield* linesOf(text);
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

/** Saves the rejected rows of a file, and says if these are not all. @returns their number */
export async function saveRejects(context: Context, view: ImportView, file: string): Promise<number> {
  const lines = await Array.fromAsync(rejectedRows(context, view));
  await writeGivenFile(file, lines.map((line) => `${line}\n`).join(''));
  noteOthers(context, view, lines.length);
  return lines.length;
}

/** All rejected rows of a file, by its counts. */
export function rejectedOf({ rows }: Pick<ImportView, 'rows'>): number {
  return rows === undefined ? 0 : sumOf(rows.rejected);
}

/** Says on standard error how many rejected rows are in no report and no batch, such as repeated products, or not yet. */
export function noteOthers(
  { terminal, isJson }: Pick<Context, 'terminal' | 'isJson'>,
  { importId, rows }: Pick<ImportView, 'importId' | 'rows'>,
  shown: number,
): void {
  const rejected = rejectedOf({ rows });
  if (shown >= rejected || isJson) return;
  const are = rejected - shown === 1 ? 'is' : 'are';
  const shows = wordsOf('rejections', [], ['--file', importId]);
  terminal.note(
    `Of ${counted(rejected, 'rejected row')} ${rejected - shown} ${are} not among these: \`${shows}\` shows why rows were rejected.`,
  );
}

/** The first rejected rows of a file, to be shown; in JSON none is. */
export async function rowsToShow(context: Context, view: ImportView): Promise<string[]> {
  const first: string[] = [];
  if (context.isJson) return first;
  for await (const line of rejectedRows(context, view)) {
    first.push(line);
    if (first.length === MOST_SHOWN) break;
  }
  return first;
}
