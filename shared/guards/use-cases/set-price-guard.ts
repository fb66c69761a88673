import type { GuardLimits, PriceGuard } from '../model.ts';
import type { GuardTable } from '../ports.ts';

export interface SetPriceGuardPorts {
  readonly guards: Pick<GuardTable, 'update'>;
}

/** Guards a store's prices by `limits`; what was counted stays, and so does a hold. */
export async function setPriceGuard(
  { guards }: SetPriceGuardPorts,
  storeClientId: string,
  limits: GuardLimits,
): Promise<PriceGuard> {
  const guard = await guards.update(storeClientId, (current) => ({ storeClientId, ...current, limits }));
  return guard ?? { storeClientId, limits };
}

/** Guards a store's prices no longer; a hold stays until it is lifted. */
export async function removePriceGuard(
  { guards }: SetPriceGuardPorts,
  storeClientId: string,
): Promise<PriceGuard> {
  const guard = await guards.update(storeClientId, (current) => {
    if (current === undefined) return undefined;
    const { limits: _, ...rest } = current;
    return rest;
  });
  return guard ?? { storeClientId };
}
