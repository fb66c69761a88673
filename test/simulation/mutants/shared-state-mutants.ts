import type { Mutant } from './mutant.ts';

/** Mistakes in what functions share: the limit, batch records, and the conditions of writes. */
export const sharedStateMutants: readonly Mutant[] = [
  {
    name: 'one request more than allowed is in flight',
    file: 'shared/limits/limiter.ts',
    find: "['permits', '<', allowed],",
    replace: "['permits', '<', allowed + 1],",
  },
  {
    name: 'slots have no distance',
    file: 'shared/limits/limiter.ts',
    find: 'const room = spacing + (isCold ? COLD_ROOM_MS : 0);',
    replace: 'const room = 0;',
  },
  {
    name: 'slots follow each other too fast by a quarter',
    file: 'shared/limits/model.ts',
    find: 'SPACING_MARGIN = 1.04;',
    replace: 'SPACING_MARGIN = 0.8;',
  },
  {
    name: 'a slot that passed is used however late it is',
    file: 'shared/limits/limiter.ts',
    find: 'TOO_LATE_MS = 750;',
    replace: 'TOO_LATE_MS = 5_000;',
  },
  {
    name: 'a 429, a 503 and a Retry-After slow no one',
    file: 'shared/limits/model.ts',
    find: "return status === 429 || status === 503 || code === 'SYS_DEP_503' || retryAfterMs !== undefined;",
    replace: 'return false;',
  },
  {
    name: 'a 429 or 503 without Retry-After slows no one',
    file: 'shared/limits/model.ts',
    find: "return status === 429 || status === 503 || code === 'SYS_DEP_503' || retryAfterMs !== undefined;",
    replace: 'return retryAfterMs !== undefined;',
  },
  {
    name: 'a Retry-After is taken for a second',
    file: 'shared/limits/model.ts',
    find: 'Math.min(retryAfterMs, LONGEST_PAUSE_MS)',
    replace: 'Math.min(OWN_PAUSE_MS, retryAfterMs)',
  },
  {
    name: 'a place is used in spite of a pause that came after it',
    file: 'shared/limits/limiter.ts',
    find: "    ['pausedUntil', '<=', at],\n    ['slowedAt', '=', slowedAt],\n",
    replace: '',
  },
  {
    name: 'a permit that is never given back stays out for ever',
    file: 'shared/limits/limiter.ts',
    find: 'filter((id) => (permits[id] ?? 0) <= now)',
    replace: 'filter(() => false)',
  },
  {
    name: 'a write of the limit whose answer was lost is not known again',
    file: 'shared/limits/limiter.ts',
    find: 'if (permitId in permits) return true;',
    replace: '',
  },
  {
    name: 'rejected rows of a batch count as accepted too',
    file: 'shared/batches/rules/batch-record.ts',
    find: 'accepted: sent - rejected - unknown,',
    replace: 'accepted: sent - unknown,',
  },
  {
    name: 'tables: a write does not mind who wrote in between',
    file: 'test/doubles/versioned-items.ts',
    find: 'if (current?.revision !== revision) return false;',
    replace: '',
  },
  {
    name: 'tables: a lease is taken while another is alive',
    file: 'test/doubles/in-memory-lane-table.ts',
    find: 'if (lane.leaseUntil !== undefined && lane.leaseUntil > now) return;',
    replace: '',
  },
  {
    name: 'tables: a lease is released by whoever is not its holder',
    file: 'test/doubles/in-memory-lane-table.ts',
    find: 'if (lane?.leaseId !== leaseId || lane.dirty !== dirty) return false;',
    replace: '',
  },
  {
    name: 'a store forgets an event before it is on the bus',
    file: 'shared/stores/use-cases/announce-store.ts',
    find: 'await events.publish([outgoingOf(storeClientId, event)]);',
    replace:
      'await stores.forgetEvent(storeClientId, event); await events.publish([outgoingOf(storeClientId, event)]);',
  },
  {
    name: 'a suspension keeps no event with the store',
    file: 'test/doubles/in-memory-store-table.ts',
    find: 'untold: [...untold, event],',
    replace: 'untold,',
  },
  {
    name: 'a discarded special price goes along with the next price',
    file: 'shared/listings/rules/row.ts',
    find: 'filter((name) => !isDiscarded(listing, name))',
    replace: 'filter(() => true)',
  },
  {
    name: 'what AWS leaves of a batch undone is forgotten',
    file: 'shared/aws/until-processed.ts',
    find: 'if (open.length === 0) return;',
    replace: 'return;',
  },
];
