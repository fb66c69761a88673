import { setTimeout as pause } from 'node:timers/promises';
import type { CloudFormationTemplate } from '../../../local/aws/template/cloudformation.ts';
import type { ConnectorRun } from '../../../local/run/connector-run.ts';
import { triggerRepeatedly } from '../../../local/run/trigger-repeatedly.ts';
import { until } from '../../../local/run/until.ts';
import { hastyTemplate } from '../../../tools/chaos/hasty-template.ts';
import { Random } from '../../simulation/engine/random.ts';

/** Minutes after which an open batch is swept, shortened like the other times. */
const BATCH_DEADLINE_MINUTES = 0.1;
/** The sweeper reserves 20 s of its time to record what it read. */
const SWEEPER_TIMEOUT_SECONDS = 60;
const SWEEP_EVERY_MS = 2_000;

/** Faults of calls that create or sync products: in their answers and in their final summaries. */
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

/** The faults and their total numbers. They are counted, not timed, so that a slow machine finishes as well. */
export interface ChaosOptions {
  readonly seed: number;
  /** Functions to kill, by a part of their logical ID. */
  readonly victims: readonly string[];
  readonly kills: number;
  readonly faults: number;
}

const KILL_EVERY_MS = 1_000;
const FAULT_EVERY_MS = 250;

/** The synthesized template with shorter times, also for the deadline of batches. */
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

/**
 * Kills functions and makes calls fail, then clears the faults that did not occur.
 *
 * @throws Error when no victim runs for too long
 */
export async function disturbProducts(
  run: ConnectorRun,
  { seed, victims, kills, faults }: ChaosOptions,
): Promise<void> {
  const random = new Random(seed);
  const killing = async () => {
    for (let killed = 0; killed < kills; killed += 1) {
      const kill = () => run.local.functions.kill(random.pick(victims));
      await until('a function to kill', kill, { everyMs: KILL_EVERY_MS });
      await pause(KILL_EVERY_MS);
    }
  };
  const failing = async () => {
    for (let failed = 0; failed < faults; failed += 1) {
      await run.controls?.addFault({ path: random.pick(PATHS), fault: random.pick<object>(FAULTS) });
      await pause(FAULT_EVERY_MS);
    }
  };
  await Promise.all([killing(), failing()]);
  await run.controls?.clearFaults();
}

/** Triggers the sweeper, whose five minutes are shortened like the other times; await it after `stop`. */
export const sweepRepeatedly = ({ local }: ConnectorRun) =>
  triggerRepeatedly(local, 'BatchSweeper', SWEEP_EVERY_MS);
