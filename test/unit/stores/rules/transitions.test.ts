import { expect, test } from 'vitest';
import { type StoreState, storeStateSchema } from '../../../../shared/stores/model.ts';
import {
  checkTransition,
  STORE_TRANSITIONS,
  type StoreActor,
  type StoreTransitionName,
} from '../../../../shared/stores/rules/transitions.ts';

const names = Object.keys(STORE_TRANSITIONS) as StoreTransitionName[];
const states: (StoreState | undefined)[] = [undefined, ...storeStateSchema.options];
const actors: StoreActor[] = ['seller', 'operator', 'marketplace'];

function isAllowed(name: StoreTransitionName, state: StoreState | undefined, actor: StoreActor): boolean {
  try {
    checkTransition(name, state, actor);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'STORE_TRANSITION' });
    return false;
  }
}

test('a store changes its state in these ways and no others', () => {
  const allowed = names.flatMap((name) =>
    states.flatMap((state) =>
      actors
        .filter((actor) => isAllowed(name, state, actor))
        .map((actor) => `${actor}: ${state ?? 'unknown'} → ${STORE_TRANSITIONS[name].to} (${name})`),
    ),
  );
  expect(allowed.sort()).toEqual([
    'marketplace: connected → suspended (suspend)',
    'operator: connected → connected (connect)',
    'operator: connected → unbound (unbind)',
    'operator: suspended → connected (connect)',
    'operator: suspended → connected (resume)',
    'operator: suspended → unbound (unbind)',
    'operator: unbound → connected (connect)',
    'operator: unknown → connected (connect)',
    'seller: connected → connected (connect)',
    'seller: suspended → connected (connect)',
    'seller: unbound → connected (connect)',
    'seller: unknown → connected (connect)',
  ]);
});
