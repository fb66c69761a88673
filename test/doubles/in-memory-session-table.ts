import type { OnboardSession } from '../../shared/stores/onboarding.ts';
import type { OnboardSessionTable } from '../../shared/stores/ports.ts';
import { directly, type Step } from './step.ts';
import { updateItem, VersionedItems } from './versioned-items.ts';

/** The Sessions table in memory; tables over the same `items` are one table. */
export function inMemorySessionTable(
  step: Step = directly,
  items: VersionedItems<OnboardSession> = new VersionedItems(),
): OnboardSessionTable {
  return { update: (nonce, change) => updateItem({ items, key: nonce, step, name: 'sessions' }, change) };
}
