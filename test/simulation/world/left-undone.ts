import { untilProcessed } from '../../../shared/aws/until-processed.ts';
import type { SimulatedProcess } from '../engine/simulated-process.ts';
import type { Simulation } from '../engine/simulation.ts';

/**
 * A batch call of AWS that may leave some items unprocessed and say so in a successful answer; repeated as the adapters
 * do it.
 *
 * @param call processes all given items.
 */
export function leavingSome<T>(
  { faults, random }: Simulation,
  { clock }: SimulatedProcess,
  call: (items: readonly T[]) => Promise<void>,
): (items: readonly T[]) => Promise<void> {
  return (items) =>
    untilProcessed(
      [...items],
      async (open) => {
        const isWhole = open.length === 0 || !faults.strikes('a part of a batch is left undone');
        const done = isWhole ? open : open.slice(0, random.integer(0, open.length - 1));
        if (done.length > 0 || isWhole) await call(done);
        return open.slice(done.length);
      },
      { clock },
    );
}
