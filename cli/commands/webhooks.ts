import { type Command, Option } from 'commander';
import * as z from 'zod';
import { listedBatchSchema } from '../../shared/batches/model.ts';
import {
  verifyWebhook,
  type WebhookRefusal,
  type WebhookScheme,
  webhookSchemes,
} from '../../shared/marketplace/webhooks/verification.ts';
import { allPages } from '../clients/pages.ts';
import { type Context, type GlobalOptions, outputWith, withContext } from '../context.ts';
import { CliError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { readGivenFile, readSecretFile } from '../files.ts';
import { forEach, oneOrAll } from '../for-each.ts';
import { addCommand } from '../help.ts';
import { table } from '../render/table.ts';
import { time } from '../render/words.ts';
import { outputOf } from '../target/target.ts';
import { readRequest } from '../webhooks/read-request.ts';
import { redeliver } from '../webhooks/redeliver.ts';

interface VerifyOptions extends GlobalOptions {
  readonly secretFile: string;
  readonly scheme: WebhookScheme[];
  readonly anyAge?: boolean;
}

const FILE_TEXT = 'the HTTP request as received: request line, headers, an empty line, body';
const SECRET_TEXT = 'file with the webhook secret; an option of the secret would be seen by others';

const REASONS: Readonly<Record<WebhookRefusal, string>> = {
  'signature-missing': 'it has no signature of these schemes',
  'timestamp-invalid': 'its timestamp is not a number',
  'timestamp-outside-window': 'it was signed more than 5 minutes ago or ahead; --any-age leaves that out',
  'signature-wrong': 'the signature is not of this secret, path and body',
};

export function addWebhooks(program: Command): void {
  const webhooks = program.command('webhooks').description("the marketplace's final summaries");
  addCommand(webhooks, 'unmatched', 'final summaries that match no batch', ['webhooks unmatched']).action(
    withContext(listUnmatched),
  );
  addCommand(webhooks, 'discard', 'discard an unmatched summary', ['webhooks discard BATCH --yes'])
    .argument('<batchId...>', 'the batches that they name')
    .action(withContext<object, [string[]]>(discard));
  addCommand(webhooks, 'redeliver', 'send a received webhook to the stack once more, signed anew', [
    'webhooks redeliver webhook.http --secret-file secret.txt --yes',
  ])
    .argument('<file>', FILE_TEXT)
    .requiredOption('--secret-file <file>', SECRET_TEXT)
    .action(withContext(redeliverFile));
  addCommand(webhooks, 'verify', 'verify the signature of a received webhook; needs no stack', [
    'webhooks verify webhook.http --secret-file secret.txt --any-age',
  ])
    .argument('<file>', FILE_TEXT)
    .requiredOption('--secret-file <file>', SECRET_TEXT)
    .addOption(
      new Option('--scheme <scheme...>', 'schemes to accept').choices(webhookSchemes).default(webhookSchemes),
    )
    .option('--any-age', 'also a webhook outside of the replay window of 5 minutes')
    .action((file: string, _: object, command: Command) => verify(file, command.optsWithGlobals()));
}

async function listUnmatched({ api, show, terminal }: Context): Promise<void> {
  const summaries = await allPages(api, ['summaries', 'unmatched'], { summaries: listedBatchSchema });
  const rows = summaries.map(({ batchId, submittedAt, storeClientId = '', summary }) => [
    batchId,
    time(submittedAt),
    `${storeClientId} ${summary.total} rows, ${summary.failed} failed`.trim(),
  ]);
  show(summaries, () =>
    rows.length === 0 ? 'No summary is unmatched.' : table(terminal, ['BATCH', 'RECEIVED', 'SUMMARY'], rows),
  );
}

async function discard({ api, show, confirm }: Context, _: object, ids: readonly string[]): Promise<void> {
  const all = ids.join(', ');
  await confirm(`Discard the summary of batch ${all}?`);
  const summaries = await forEach(ids, (id) => api.call(z.unknown(), 'POST', ['summaries', id, 'discard']));
  show(oneOrAll(summaries), () => `discarded the summary of batch ${all}`);
}

async function redeliverFile(
  { show, confirm, target }: Context,
  { secretFile }: { secretFile: string },
  file: string,
): Promise<void> {
  const webhook = readRequest(await readGivenFile(file));
  const secret = await readSecretFile(secretFile);
  const url = outputOf(target, 'WebhookUrl');
  await confirm(`Send ${file} to ${url}?`);
  const answer = await redeliver(webhook, { url, secret, now: Date.now() });
  show(answer, () => `taken (status ${answer.status}); a summary that was taken before has no second effect`);
}

async function verify(file: string, options: VerifyOptions): Promise<void> {
  const { secretFile, scheme, anyAge = false } = options;
  const request = readRequest(await readGivenFile(file));
  const secret = await readSecretFile(secretFile);
  const result = verifyWebhook(request, {
    schemes: scheme,
    secrets: [secret],
    now: Date.now(),
    ...(anyAge && { replayWindowMs: Number.POSITIVE_INFINITY }),
  });
  if (result.ok) return outputWith(options).show(result, () => `valid (${result.scheme})`);
  throw new CliError(`refused: ${REASONS[result.reason]}`, {
    code: result.reason.toUpperCase().replaceAll('-', '_'),
    exitCode: EXIT.failed,
  });
}
