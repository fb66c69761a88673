import { type RegisterName, registerEntries } from '../../listings/model.ts';
import type { LaneWaker, ListingTable } from '../../listings/ports.ts';
import { isPending, waitAgain } from '../../listings/rules/waiting.ts';
import type { Clock } from '../../time/clock.ts';
import type { EpochMs } from '../../time/times.ts';
import type { Drift, RegisterDrift } from '../model.ts';
import type { DriftTable } from '../ports.ts';

export interface RepairDriftPorts {
  readonly drift: Pick<DriftTable, 'update'>;
  readonly listings: Pick<ListingTable, 'update'>;
  readonly tickets: LaneWaker;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Marks the drifted registers of listings as waiting, contested ones too, so that their newest values are sent. The count of relapses
 * starts again. Targets without drift do not change.
 *
 * @returns the targets with a value that waits
 */
export async function repairDrift(
  ports: RepairDriftPorts,
  storeClientId: string,
  targets: readonly string[],
): Promise<string[]> {
  const { drift, listings, tickets, clock } = ports;
  const now = clock.now();
  const repaired: string[] = [];
  for (const target of new Set(targets)) {
    let names: RegisterName[] = [];
    await drift.update(storeClientId, target, (current) => {
      names = current === undefined ? [] : openNames(current);
      return current && names.length > 0 ? begunAnew(current, now) : undefined;
    });
    if (names.length === 0) continue;
    const listing = await listings.update(storeClientId, target, (current) => {
      const accepted = names.filter((name) => {
        const [desired, settled] = [current?.desired[name], current?.settled[name]];
        return current && desired && !isPending(current, name, desired) && settled?.outcome === 'accepted';
      });
      return current && accepted.length > 0 ? waitAgain(current, accepted, now) : undefined;
    });
    // A newest value that was rejected meanwhile is not sent again.
    if (listing?.waitingSince !== undefined) repaired.push(target);
  }
  if (repaired.length > 0) await tickets.send([{ storeClientId }]);
  return repaired;
}

function openNames({ registers }: Drift): RegisterName[] {
  return registerEntries(registers).flatMap(([name, register]) => (register?.open ? [name] : []));
}

function begunAnew(drift: Drift, now: EpochMs): Drift {
  const registers = registerEntries(drift.registers).map(
    ([name, register]): [RegisterName, RegisterDrift] => {
      if (register?.open === undefined) return [name, register ?? { relapses: 0 }];
      return [name, { open: { ...register.open, rearmedAt: now }, relapses: 0 }];
    },
  );
  return { ...drift, registers: Object.fromEntries(registers) };
}
