import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { LogLine } from '../local/model.ts';
import { type ConnectorRun, startConnector } from './connector-run.ts';
import { assertNode24 } from './node-version.ts';
import { removeOutputs, whileOutputsShow } from './outputs-file.ts';
import { readRunSettings } from './run-settings.ts';
import { synthesize } from './synthesize.ts';
import { tourTable, whereToLook } from './tour/report.ts';
import { takeTour } from './tour/tour.ts';

const outputsFile = join(import.meta.dirname, '..', '..', '.local', 'outputs.json');

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
  // Of a run that was killed; while another is up they are its own.
  if (!(await answers(settings.ports?.aws))) await removeOutputs(outputsFile);
  say('Synthesizing the stack …');
  await synthesize();
  await using run = await startConnector({
    ...settings,
    log: show,
    ...(flags.data === undefined ? {} : { dataDirectory: flags.data }),
  });
  const held = await whileOutputsShow(outputsFile, run.local.outputs, async () => {
    const held = flags['no-tour'] || (await tour(run));
    if (flags.exit) {
      say('\n`npm start` without `-- --exit` stays up after the tour, to look around.');
      return held;
    }
    say(`\n${whereToLook(run)}\n`);
    say('Running until Ctrl-C.');
    return new Promise<never>(() => {});
  });
  // Only a tour that was to be taken whole fails by being interrupted.
  return (held ?? !flags.exit) ? 0 : 1;
}

/** Whether somebody listens there. */
async function answers(port: number | undefined): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
  await answer?.body?.cancel();
  return answer !== undefined;
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

process.exitCode = await main();
