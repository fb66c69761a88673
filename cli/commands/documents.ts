import type { Command } from 'commander';
import * as z from 'zod';
import { type Context, withContext } from '../context.ts';
import { CliError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { writeGivenFile } from '../files.ts';
import { examples } from '../help.ts';

interface Options {
  readonly store: string;
  readonly out: string;
  readonly refresh?: boolean;
}

const DOWNLOAD_TIMEOUT_MS = 60_000;

/** The stored document, or a command that waits. */
const answerSchema = z.union([
  z.object({ trace: z.string(), commandId: z.string(), message: z.string() }),
  z.looseObject({ size: z.number(), trace: z.undefined().optional() }),
]);

/** Adds `label` and `invoice`. */
export function addDocuments(program: Command): void {
  const add = (name: string, document: string, description: string) =>
    program
      .command(name)
      .description(description)
      .argument('<order>', 'order ID')
      .requiredOption('--store <storeClientId>', 'the store')
      .requiredOption('--out <file>', 'the PDF to write')
      .option('--refresh', 'fetch it anew from the marketplace')
      .addHelpText('after', examples(`${name} ORDER --store store-1wh --out ${name}.pdf`))
      .action(
        withContext<Options>((context, options, order = '') => save(context, options, { order, document })),
      );
  add('label', 'shipping-label', 'save the shipping label of an order as a PDF');
  add('invoice', 'invoice', 'save the invoice of an order as a PDF');
}

/** Has the stack fetch the document if it does not have it, and downloads it from the document bucket. */
async function save(
  { api, show }: Context,
  { store, out, refresh }: Options,
  { order, document }: { order: string; document: string },
): Promise<void> {
  const path = ['stores', store, 'orders', order, 'documents', document];
  const stored = await api.call(answerSchema, 'POST', path, { query: { refresh } });
  if (stored.trace !== undefined)
    throw new CliError(stored.message, {
      code: 'COMMAND_WAITS',
      exitCode: EXIT.timedOut,
      hint: `It goes on by itself: trace ${stored.commandId} tells. Then give this command again.`,
    });
  const { url } = await api.call(z.looseObject({ url: z.string() }), 'GET', path);
  const answer = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
  if (!answer.ok)
    throw new CliError(`the download failed with status ${answer.status}`, {
      code: 'DOWNLOAD_FAILED',
      exitCode: EXIT.failed,
    });
  const content = new Uint8Array(await answer.arrayBuffer());
  await writeGivenFile(out, content);
  show({ ...stored, file: out }, () => `${out} (${content.length} bytes)`);
}
