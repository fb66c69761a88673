import type { Mutant } from './mutant.ts';

/** Mistakes in what functions share: the limit, batch records, and the conditions of writes. */
export const sharedStateMutants: readonly Mutant[] = [
  {
    name: 'one request more than allowed is in flight',
    file: 'shared/limits/limiter.ts',
    find: "['permits', 'fewer than', requestsInFlight],",
    replace: "['permits', 'fewer than', requestsInFlight + 1],",
  },
  {
    name: 'slots have no distance from each other',
    file: 'shared/limits/limiter.ts',
    find: 'const room = spacingMs(part.seen, part.settings, Math.max(part.seen.nextSlotAt, earliest));',
    replace: 'const room = 0;',
  },
  {
    name: 'slots are a quarter too close',
    file: 'shared/limits/model.ts',
    find: 'SPACING_MARGIN = 1.04;',
    replace: 'SPACING_MARGIN = 0.8;',
  },
  {
    name: 'a 429 concerns only its store',
    file: 'shared/time/waits.ts',
    find: "if (status === 429) return 'all';",
    replace: "if (status === 429) return 'store';",
  },
  {
    name: 'a 503 that a second store sees causes no pause',
    file: 'shared/limits/slow-down.ts',
    find: 'now < outage.until) return true;',
    replace: 'now < outage.until) return false;',
  },
  {
    name: 'a 503 or a Retry-After of one store makes all pause',
    file: 'shared/limits/slow-down.ts',
    find: "if (whom !== 'store' || first === undefined) return whom === 'all';",
    replace: "if (whom !== 'none' || first === undefined) return whom !== 'none';",
  },
  {
    name: 'a Retry-After counts as one second',
    file: 'shared/time/waits.ts',
    find: 'Math.min(retryAfterMs, LONGEST_PAUSE_MS)',
    replace: 'Math.min(permitWait.againMs, retryAfterMs)',
  },
  {
    name: 'a place is used although a pause began after its reservation',
    file: 'shared/limits/limiter.ts',
    find: "    ['pausedUntil', '<=', at],\n",
    replace: '',
  },
  {
    name: 'a permit that is never released never expires',
    file: 'shared/limits/limiter.ts',
    find: 'find((id) => (permits[id] ?? 0) <= now)',
    replace: 'find(() => false)',
  },
  {
    name: 'a write of the limit whose answer was lost is not recognised',
    file: 'shared/limits/limiter.ts',
    find: 'return permitId in (await readLimit(part)).permits;',
    replace: 'await readLimit(part); return false;',
  },
  {
    name: 'each item of a divided limit has the whole rate',
    file: 'shared/limits/limit-part.ts',
    find: 'requestsPerSecond: requestsPerSecond / count,',
    replace: 'requestsPerSecond,',
  },
  {
    name: 'a 429 slows only the item of its request',
    file: 'shared/limits/slow-down.ts',
    find: 'if (await isForAll(part, outcome)) await Promise.all(part.all.map((one) => slowPart(one, outcome, at)));',
    replace: 'if (await isForAll(part, outcome)) await slowPart(part, outcome, at);',
  },
  {
    name: 'restored tables are sent from before the end of the restore',
    file: 'shared/limits/limiter.ts',
    find: '!request.isRead && (await isRestored(parts))',
    replace: 'request.isRead && (await isRestored(parts))',
    scenario: 'restores',
  },
  {
    name: 'the end of an earlier restore ends this one',
    file: 'shared/limits/model.ts',
    find: 'first?.resumedTables !== restoredTables;',
    replace: 'first?.resumedTables === undefined;',
    scenario: 'restores',
  },
  {
    name: 'rejected rows of a batch also count as accepted',
    file: 'shared/batches/rules/batch-record.ts',
    find: 'accepted: sent - rejected - unknown,',
    replace: 'accepted: sent - unknown,',
  },
  {
    name: 'tables: a write ignores a concurrent write',
    file: 'test/doubles/versioned-items.ts',
    find: 'if (current?.revision !== revision) return false;',
    replace: '',
  },
  {
    name: 'tables: a lease is taken while another is alive',
    file: 'test/doubles/in-memory-lane-table.ts',
    find: 'if (lane.leaseUntil !== undefined && lane.leaseUntil > now) return undefined;',
    replace: '',
  },
  {
    name: 'tables: a lease is released by another than its holder',
    file: 'test/doubles/in-memory-lane-table.ts',
    find: 'if (lane?.leaseId !== leaseId || lane.dirty !== (dirty ?? lane.dirty)) return false;',
    replace: '',
  },
  {
    name: 'a store forgets an event before it is published',
    file: 'shared/stores/use-cases/announce-store.ts',
    find: 'await events.publish([outgoingOf(storeClientId, event)]);',
    replace:
      'await stores.forgetEvent(storeClientId, event); await events.publish([outgoingOf(storeClientId, event)]);',
  },
  {
    name: 'a suspension stores no event',
    file: 'test/doubles/in-memory-store-table.ts',
    find: 'unpublishedEvents: [...unpublishedEvents, event],',
    replace: 'unpublishedEvents,',
  },
  {
    name: 'a discarded special price is sent with the next price',
    file: 'shared/listings/rules/row.ts',
    find: 'filter((name) => !isDiscarded(listing, name))',
    replace: 'filter(() => true)',
  },
  {
    name: 'unprocessed items of an AWS batch call are lost',
    file: 'shared/aws/until-processed.ts',
    find: 'if (open.length === 0) return;',
    replace: 'return;',
  },
];
