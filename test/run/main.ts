import { join } from 'node:path';
import { type Activity, createActivity } from './activity/activity.ts';
import { type ConnectorRun, startConnector } from './connector-run.ts';
import { createDemoProduct } from './demo-product.ts';
import { type Interrupt, listenForInterrupt } from './interrupt.ts';
import { assertNode24 } from './node-version.ts';
import { removeOutputs, whileOutputsShow } from './outputs-file.ts';
import { assertPortsFree } from './ports.ts';
import { HELP, type RunOptions, readRunOptions } from './run-options.ts';
import { readRunSettings, wantedPorts } from './run-settings.ts';
import { synthesize } from './synthesize.ts';
import { createTerminal, type Terminal } from './terminal/terminal.ts';
import { tourTable } from './tour/report.ts';
import { takeTour } from './tour/tour.ts';
import { whereToLook } from './where-to-look.ts';

const outputsFile = join(import.meta.dirname, '..', '..', '.local', 'outputs.json');

/** Gives the process's exit status. */
async function main(): Promise<number> {
  const options = readRunOptions(process.argv.slice(2));
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  assertNode24();
  const settings = readRunSettings(process.env);
  await assertPortsFree(wantedPorts(settings));
  // Those of a run that was killed.
  await removeOutputs(outputsFile);

  using interrupt = listenForInterrupt({
    onFirst: () =>
      terminal.say('\nStopping the functions and the local servers (Ctrl-C again: end at once) …'),
  });
  using terminal = createTerminal(process.stdout, interrupt.signal);
  try {
    const held = await runUntilInterrupted(options, settings, { terminal, interrupt });
    if (!interrupt.signal.aborted) return held ? 0 : 1;
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    // Whatever was under way fails when what it works with is stopped.
  }
  terminal.say('Stopped.');
  // Only a tour that was to be taken whole fails by being interrupted. What it left under way ends here.
  process.exit(options.exit ? 1 : 0);
}

/** Whether the tour's comparisons hold, if it is taken. */
async function runUntilInterrupted(
  options: RunOptions,
  settings: ReturnType<typeof readRunSettings>,
  { terminal, interrupt }: { terminal: Terminal; interrupt: Interrupt },
): Promise<boolean | undefined> {
  const { signal } = interrupt;
  terminal.progress('Synthesizing the stack');
  await synthesize(signal);
  const activity = createActivity({ terminal, output: options.output, signal });
  await using run = await startConnector({
    ...settings,
    log: activity.log,
    observer: activity.observer,
    onStep: terminal.progress,
    ...(options.dataDirectory === undefined ? {} : { dataDirectory: options.dataDirectory }),
  });
  if (signal.aborted) return undefined;
  await createDemoProduct(run);
  terminal.progress(undefined);
  terminal.say(`Up: ${run.local.functions.names().length} functions, ${storesOf(run)}.`);
  const use = () => useRun(run, { options, terminal, activity });
  return await whileOutputsShow(outputsFile, run.local.outputs, use, signal);
}

async function useRun(
  run: ConnectorRun,
  { options, terminal, activity }: { options: RunOptions; terminal: Terminal; activity: Activity },
): Promise<boolean> {
  const held = !options.tour || (await tour(run, terminal));
  if (options.exit) {
    terminal.say('\n`npm start` without `-- --exit` stays up after the tour, to look around.');
    return held;
  }
  terminal.say(`\n${whereToLook(run)}\n`);
  terminal.say('Running until Ctrl-C.');
  await activity.show(run);
  return held;
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

try {
  process.exitCode = await main();
} catch (error) {
  console.error(process.argv.includes('--verbose') || !(error instanceof Error) ? error : error.message);
  process.exitCode = 1;
}
