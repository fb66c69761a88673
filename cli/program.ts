import tab from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addBatches } from './commands/batches.ts';
import { addConsole } from './commands/console.ts';
import { addDlq } from './commands/dlq.ts';
import { addDoctor } from './commands/doctor.ts';
import { addDocuments } from './commands/documents.ts';
import { addDrift } from './commands/drift.ts';
import { addExport } from './commands/export.ts';
import { addFind } from './commands/find.ts';
import { addImport } from './commands/import.ts';
import { addImports } from './commands/imports.ts';
import { addListen } from './commands/listen.ts';
import { addLocal } from './commands/local.ts';
import { addLogs } from './commands/logs.ts';
import { addOrders } from './commands/orders.ts';
import { addPreflight } from './commands/preflight.ts';
import { addReconcile } from './commands/reconcile.ts';
import { addRejections } from './commands/rejections.ts';
import { addRestore } from './commands/restore.ts';
import { addSandbox } from './commands/sandbox.ts';
import { addSimulate } from './commands/simulate.ts';
import { addStatus } from './commands/status.ts';
import { addStores } from './commands/stores.ts';
import { addTrace } from './commands/trace.ts';
import { addTrigger } from './commands/trigger.ts';
import { addVerify } from './commands/verify.ts';
import { addWebhooks } from './commands/webhooks.ts';
import { EXIT_MEANINGS } from './exit-codes.ts';
import { examples } from './help.ts';
import { LOCAL_OUTPUTS } from './target/local-target.ts';

/**
 * The command line with all its commands. Wrong arguments throw a CommanderError.
 *
 * @param options.isJson prints nothing about wrong arguments; the caller does
 */
export function createProgram({ isJson = false } = {}): Command {
  const program = new Command('marketplace-connector')
    .description('See what a Marketplace Connector does, and act on it.')
    .version(manifest.version)
    .option('--local', `the local run whose outputs are in ${LOCAL_OUTPUTS} (default without --stack)`)
    .option('--outputs <file>', 'the local run whose outputs are in this file')
    .option('--stack <name>', 'a deployed CloudFormation stack, with your AWS credentials')
    .option('--region <region>', 'AWS region of the stack')
    .option('--profile <profile>', 'profile of the AWS configuration')
    .option('--json', 'print JSON')
    .option('-y, --yes', 'change things without a question')
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(--help shows what is possible)')
    .addHelpText('after', () => `\nExit codes:\n${exitCodes()}\n${overview()}`)
    // Wrong arguments have an exit code of their own, and with --json a form of their own.
    .exitOverride()
    .configureOutput(isJson ? { writeErr: () => {} } : {});
  addStatus(program);
  addTrigger(program);
  addFind(program);
  addTrace(program);
  addRejections(program);
  addListen(program);
  addBatches(program);
  addStores(program);
  addOrders(program);
  addDocuments(program);
  addDrift(program);
  addReconcile(program);
  addDlq(program);
  addImport(program);
  addImports(program);
  addWebhooks(program);
  addLogs(program);
  addDoctor(program);
  addLocal(program);
  addRestore(program);
  addExport(program);
  addPreflight(program);
  addVerify(program);
  addSandbox(program);
  addConsole(program);
  addSimulate(program);
  tab(program);
  return program;
}

function exitCodes(): string {
  return Object.entries(EXIT_MEANINGS)
    .map(([code, meaning]) => `  ${code}  ${meaning}`)
    .join('\n');
}

function overview(): string {
  return examples(
    'status',
    'trigger stock.changed --store store-0wh --sku DEMO-1 --stock 5 --wait',
    'status --stack MarketplaceConnector --region eu-west-1',
    'complete zsh > ~/.zsh/completions/_marketplace-connector',
  );
}
