import { expect, test } from 'vitest';
import {
  checkTransition,
  STORE_TRANSITIONS,
  type StoreState,
  type StoreTransitionName,
  storeStateSchema,
} from '../../../../shared/stores/model.ts';

const names = Object.keys(STORE_TRANSITIONS) as StoreTransitionName[];

function isAllowed(name: StoreTransitionName, state: StoreState): boolean {
  try {
    checkTransition(name, state);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'STORE_TRANSITION' });
    return false;
  }
}

test('a store changes its state only in the listed ways and by being connected', () => {
  const allowed = names.flatMap((name) =>
    storeStateSchema.options
      .filter((state) => isAllowed(name, state))
      .map((state) => `${state} → ${STORE_TRANSITIONS[name].to} (${name})`),
  );
  expect(allowed.sort()).toEqual([
    'connected → suspended (suspend)',
    'connected → unbound (unbind)',
    'suspended → connected (resume)',
    'suspended → unbound (unbind)',
  ]);
});
