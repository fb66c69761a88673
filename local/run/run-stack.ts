import { join, relative } from 'node:path';
import { tourTable } from '../tour/report.ts';
import { takeTour } from '../tour/tour.ts';
import { type Activity, createActivity } from './activity/activity.ts';
import { type ConnectorRun, type ConnectorRunOptions, startConnector } from './connector-run.ts';
import { createDemoProduct } from './demo-product.ts';
import { findTemplate, isPacked } from './find-template.ts';
import { withOutputsFile } from './outputs-file.ts';
import { startRunConsole } from './run-console.ts';
import type { RunOptions } from './run-options.ts';
import type { Terminal } from './terminal/terminal.ts';
import { whereToLook } from './where-to-look.ts';

const projectDirectory = join(import.meta.dirname, '..', '..');

/**
 * Runs the stack. Without a given template it synthesizes one first. Depending on the options it takes the tour, and runs until `signal`
 * aborts.
 *
 * @returns whether all comparisons of the tour hold, true without a tour; `undefined` when `signal` aborted. The stack is then already
 * stopped.
 */
export async function runStack(
  settings: ConnectorRunOptions,
  options: RunOptions,
  { terminal, signal }: { terminal: Terminal; signal: AbortSignal },
): Promise<boolean | undefined> {
  const { outputsFile } = options;
  const activity = createActivity({ terminal, output: options.output, signal });
  const templatePath = await findTemplate({
    cdkOut: options.cdkOut,
    // CDK_OUTDIR is the CDK's own variable.
    outputDirectory: process.env.CDK_OUTDIR ?? join(projectDirectory, 'cdk.out'),
    signal,
  });
  await using run = await startConnector({
    ...settings,
    templatePath,
    log: activity.log,
    observer: activity.observer,
    onStep: terminal.progress,
    ...(options.dataDirectory === undefined ? {} : { dataDirectory: options.dataDirectory }),
  });
  if (signal.aborted) return undefined;
  await createDemoProduct(run);
  terminal.progress(undefined);
  terminal.say(`Up: ${run.local.functions.names().length} functions, ${storesOf(run)}.`);
  const use = () => useRun(run, { options, terminal, activity, outputsFile });
  return await withOutputsFile(outputsFile, run.local.outputs, use, signal);
}

async function useRun(
  run: ConnectorRun,
  {
    options,
    terminal,
    activity,
    outputsFile,
  }: { options: RunOptions; terminal: Terminal; activity: Activity; outputsFile: string },
): Promise<boolean> {
  const passed = !options.tour || (await tour(run, terminal));
  if (options.exit) {
    terminal.say('\nWithout --exit the run stays up after the tour.');
    return passed;
  }
  const shownFile = relative(process.cwd(), outputsFile);
  await using console = await startRunConsole(run, {
    outputsFile: shownFile,
    ...(isPacked && { program: 'npx marketplace-connector' }),
  });
  terminal.say(`\n${whereToLook(run, shownFile, console.url)}\n`);
  terminal.say('Running until Ctrl-C.');
  await activity.show(run);
  return passed;
}

function storesOf({ stores }: ConnectorRun): string {
  return stores.length === 0 ? 'no store connected' : `connected to ${stores.join(', ')}`;
}

async function tour(run: ConnectorRun, terminal: Terminal): Promise<boolean> {
  const [storeClientId] = run.stores;
  if (storeClientId === undefined) throw new Error('no store is connected: set MARKETPLACE_STORES');
  const lines = await takeTour(
    {
      run,
      storeClientId,
      storeToken: run.tokens[storeClientId] ?? '',
      firstProduct: (Date.now() % 1_000_000_000) * 1_000,
      orderId: process.env.MARKETPLACE_ORDER_ID,
      terminal,
    },
    run.marketplace,
  );
  terminal.say(`\n${tourTable(lines, terminal.paint)}`);
  return lines.every(({ holds }) => holds);
}
