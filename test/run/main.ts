import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { LogLine } from '../local/model.ts';
import { type ConnectorRun, startConnector } from './connector-run.ts';
import { assertNode24 } from './node-version.ts';
import { readRunSettings } from './run-settings.ts';
import { synthesize } from './synthesize.ts';
import { tourTable, whereToLook } from './tour/report.ts';
import { takeTour } from './tour/tour.ts';

const outputsDirectory = join(import.meta.dirname, '..', '..', '.local');
const outputsFile = join(outputsDirectory, 'outputs.json');

const { values: flags } = parseArgs({
  options: {
    exit: { type: 'boolean', default: false },
    'no-tour': { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    data: { type: 'string' },
  },
});

const say = (line: string) => console.log(line);

/** What the run itself says goes to the screen; the functions' own lines do with `--verbose` only. */
function show({ source, message }: LogLine): void {
  if (source === 'local' || flags.verbose) console.error(`${source}: ${message}`);
}

async function main(): Promise<number> {
  assertNode24();
  const settings = readRunSettings(process.env);
  say('Synthesizing the stack …');
  await synthesize();
  await using run = await startConnector({
    ...settings,
    log: show,
    ...(flags.data === undefined ? {} : { dataDirectory: flags.data }),
  });
  try {
    await writeOutputs(run);
    const held = flags['no-tour'] || (await tour(run));
    say(`\n${whereToLook(run)}\n`);
    if (flags.exit) return held ? 0 : 1;
    say('Running until Ctrl-C.');
    await interrupted();
    return 0;
  } finally {
    await rm(outputsFile, { force: true });
  }
}

async function tour(run: ConnectorRun): Promise<boolean> {
  const [storeClientId] = run.stores;
  if (storeClientId === undefined) throw new Error('no store is connected: set MARKETPLACE_STORES');
  const lines = await takeTour(
    {
      run,
      storeClientId,
      storeToken: run.tokens[storeClientId] ?? '',
      firstProduct: (Date.now() % 1_000_000_000) * 1_000,
      orderId: process.env.MARKETPLACE_ORDER_ID,
      say,
    },
    run.marketplace,
  );
  say(`\n${tourTable(lines)}`);
  return lines.every(({ holds }) => holds);
}

/** In the shape of `cdk deploy --outputs-file`; there only while everything is up. */
async function writeOutputs({ local }: ConnectorRun): Promise<void> {
  await mkdir(outputsDirectory, { recursive: true });
  await writeFile(outputsFile, `${JSON.stringify({ MarketplaceConnector: local.outputs }, null, 2)}\n`);
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}

process.exitCode = await main();
