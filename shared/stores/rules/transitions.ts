import { ConnectorError } from '../../errors/connector-error.ts';
import type { StoreState } from '../model.ts';

/** Who may change a store's state. */
export type StoreActor =
  /** By agreeing to an onboarding. */
  | 'seller'
  /** By a route of the operations API. */
  | 'operator'
  /** By the answer to a request of the store's. */
  | 'marketplace';

export interface StoreTransition {
  readonly from: readonly (StoreState | 'unknown')[];
  readonly to: StoreState;
  readonly by: readonly StoreActor[];
}

/** Every change of a store's state. Work that waits stays through all of them and drains when it is connected. */
export const STORE_TRANSITIONS = {
  /** New credentials that a signed call has shown to be good; a rotation leaves a store connected. */
  connect: {
    from: ['unknown', 'connected', 'suspended', 'unbound'],
    to: 'connected',
    by: ['seller', 'operator'],
  },
  /** AUTH_014: the marketplace refuses the credentials (design P8). */
  suspend: { from: ['connected'], to: 'suspended', by: ['marketplace'] },
  /** The same credentials are good again. */
  resume: { from: ['suspended'], to: 'connected', by: ['operator'] },
  /** §4.2: the marketplace revokes the token. */
  unbind: { from: ['connected', 'suspended'], to: 'unbound', by: ['operator'] },
} as const satisfies Record<string, StoreTransition>;

export type StoreTransitionName = keyof typeof STORE_TRANSITIONS;

/**
 * Checks that a store may change so.
 *
 * @param state `undefined` for a store that is not known yet
 * @throws ConnectorError `STORE_TRANSITION` that names the state
 */
export function checkTransition(
  name: StoreTransitionName,
  state: StoreState | undefined,
  actor: StoreActor,
): void {
  const { from, by }: StoreTransition = STORE_TRANSITIONS[name];
  if (from.includes(state ?? 'unknown') && by.includes(actor)) return;
  throw new ConnectorError(`a store that is ${state ?? 'unknown'} can not ${name} by the ${actor}`, {
    code: 'STORE_TRANSITION',
    details: { state: state ?? 'unknown', transition: name, actor },
  });
}
