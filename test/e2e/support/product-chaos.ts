import { setTimeout as pause } from 'node:timers/promises';
import { hastyTemplate } from '../../chaos/hasty-template.ts';
import type { CloudFormationTemplate } from '../../local/template/cloudformation.ts';
import type { ConnectorRun } from '../../run/connector-run.ts';
import { Random } from '../../simulation/engine/random.ts';

/** Minutes after which an open batch is swept: as hasty as the other times. */
const BATCH_DEADLINE_MINUTES = 0.1;
/** The sweeper keeps 20 s of its time for recording what it read. */
const SWEEPER_TIMEOUT_SECONDS = 60;
const SWEEP_EVERY_MS = 2_000;

/** What becomes of calls that create or sync products: of their answers, and of their final summaries. */
const FAULTS = [
  { drop: 'before' },
  { drop: 'after' },
  { malformed: true },
  { status: 503, code: 'SYS_DEP_503' },
  { retryAfter: 1 },
  { webhook: 'duplicate' },
  { webhook: 'delay' },
  { webhook: 'drop' },
  { webhook: 'early' },
  { webhook: 'reorder' },
] as const;

const PATHS = ['/partner/stores/catalog/*', '/partner/stores/products/*'];

/** What is wrong with products while they come and go, and how often. */
export interface ChaosOptions {
  readonly seed: number;
  /** Functions that are killed, by a part of their logical ID. */
  readonly victims: readonly string[];
  readonly killEveryMs: number;
  readonly faultEveryMs: number;
}

/** The synthesized template with shorter times, the batches' deadline among them. */
export async function hastyBatches(): Promise<CloudFormationTemplate> {
  const template = structuredClone(await hastyTemplate());
  for (const [id, { Type, Properties = {} }] of Object.entries(template.Resources)) {
    if (Type !== 'AWS::Lambda::Function') continue;
    const { Variables } = Properties.Environment as { Variables: Record<string, unknown> };
    if ('BATCH_DEADLINE_MINUTES' in Variables)
      Variables.BATCH_DEADLINE_MINUTES = String(BATCH_DEADLINE_MINUTES);
    if (id.startsWith('BatchSweeper')) Properties.Timeout = SWEEPER_TIMEOUT_SECONDS;
  }
  return template;
}

/** Kills functions and makes calls fail until `stop`, which tells how often that was. */
export function disturbProducts(run: ConnectorRun, { seed, victims, ...every }: ChaosOptions) {
  const random = new Random(seed);
  const counts = { kills: 0, faults: 0 };
  const work = repeated([
    [
      every.killEveryMs,
      () => {
        if (run.local.functions.kill(random.pick(victims))) counts.kills += 1;
      },
    ],
    [
      every.faultEveryMs,
      async () => {
        await run.controls?.addFault({ path: random.pick(PATHS), fault: random.pick<object>(FAULTS) });
        counts.faults += 1;
      },
    ],
  ]);
  return {
    stop: async () => {
      await work.stop();
      await run.controls?.clearFaults();
      return counts;
    },
  };
}

/** The sweeper's five minutes, sped up as all the other times are. */
export function sweepRepeatedly(run: ConnectorRun) {
  return repeated([[SWEEP_EVERY_MS, () => run.local.triggerSchedule('BatchSweeper').catch(() => undefined)]]);
}

type Repeated = readonly [everyMs: number, act: () => Promise<void> | void];

/** Does each thing again and again until `stop`, which waits for the last time. */
function repeated(things: readonly Repeated[]) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const work = Promise.all(
    things.map(async ([everyMs, act]) => {
      while (!signal.aborted) {
        await act();
        await pause(everyMs, undefined, { signal }).catch(() => undefined);
      }
    }),
  );
  return {
    stop: async () => {
      stopping.abort();
      await work;
    },
  };
}
