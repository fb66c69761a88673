import type { Mutant } from './mutant.ts';

const rules = 'shared/drift/rules';
const useCases = 'shared/drift/use-cases';

/** Mistakes in finding and repairing what is live and not wanted. */
export const driftMutants: readonly Mutant[] = [
  {
    name: 'drift: a value that waits is compared',
    file: `${rules}/compare.ts`,
    find: "if (settled === undefined || isPending(listing, name, desired)) return 'waits';",
    replace: "if (settled === undefined) return 'waits';",
  },
  {
    name: 'drift: a value is compared before its grace time is over',
    file: `${rules}/compare.ts`,
    find: 'quietSince + graceMs > readAt',
    replace: 'quietSince > readAt',
  },
  {
    name: 'drift: a rejected value is compared',
    file: `${rules}/compare.ts`,
    find: "if (settled.outcome === 'rejected') return 'given up';",
    replace: '',
  },
  {
    name: 'drift: the sum of all warehouses counts as the global stock',
    file: 'shared/listings/rules/shown-values.ts',
    find: "if (name === 'stock' && warehouses.length > 0) {",
    replace: 'if (warehouses.length < 0) {',
  },
  {
    name: 'drift: only the first warehouse is compared with the global stock',
    file: `${rules}/compare.ts`,
    find: 'shownValuesOf(wanted, shown, register).find(',
    replace: 'shownValuesOf(wanted, shown, register).slice(0, 1).find(',
  },
  {
    name: 'drift: what drifted is reported and does not wait again',
    file: 'shared/listings/rules/waiting.ts',
    find: 'registersWithout(listing.settled, names)',
    replace: 'registersWithout(listing.settled, names.slice(0, 0))',
  },
  {
    name: 'drift: the lane gets no page of what waits again',
    file: `${useCases}/record-look.ts`,
    find: 'return hasRearmed ? waitAgain(seen ?? current, names, clock.now()) : seen;',
    replace: 'return seen;',
  },
  {
    name: 'drift: repairs go on without an end',
    file: `${rules}/judge.ts`,
    find: 'const MOST_RELAPSES = 3;',
    replace: 'const MOST_RELAPSES = 1_000;',
  },
  {
    name: 'drift: a repair that did not last does not count',
    file: `${rules}/judge.ts`,
    find: '+ (isRelapse ? 1 : 0)',
    replace: '',
  },
  {
    name: 'drift: a contested value is repaired all the same',
    file: `${rules}/judge.ts`,
    find: 'if (known?.contestedSince !== undefined) return {',
    replace: 'if (known?.contestedSince === known?.open?.since) return {',
  },
  {
    name: 'drift: a store is repaired although its repair is off',
    file: `${useCases}/store-turn.ts`,
    find: 'repairs: store.repair ?? true,',
    replace: 'repairs: true,',
  },
  {
    name: 'drift: only the first page of a list is read',
    file: `${rules}/cycle.ts`,
    find: 'if (hasNext) return { ...read, page: cycle.page + 1 };',
    replace: '',
  },
  {
    name: 'drift: the list of archived products is not read',
    file: `${rules}/cycle.ts`,
    find: "phase: cycle.phase === 'listed' ? 'archived' : 'closing' };",
    replace: "phase: cycle.phase === 'listed' ? 'closing' : 'closing' };",
  },
  {
    name: 'drift: a product that was missed is reported in each cycle',
    file: `${useCases}/close-cycle.ts`,
    find: 'missingSince !== undefined || notShownSince === startedAt',
    replace: 'missingSince === startedAt || notShownSince === startedAt',
  },
  {
    name: 'drift: the pages of an earlier cycle show what is there now',
    file: `${rules}/cycle.ts`,
    find: 'page.cycle === cycle ? page.targets : []',
    replace: 'page.targets',
  },
  {
    name: 'drift: an event that is not published is forgotten',
    file: `${useCases}/record-look.ts`,
    find: 'if (events.length > 0) await ports.events.publish(events);',
    replace: 'if (events.length > 0) await ports.events.publish(events).catch(() => undefined);',
  },
  {
    name: 'drift: the verifier has no budget',
    file: 'shared/limits/spare-permits.ts',
    find: 'this.#left -= 1;',
    replace: '',
  },
  {
    name: 'drift: every product without a listing on its page counts as known',
    file: `${useCases}/store-turn.ts`,
    find: '!shownOf(product).some(([target]) => listed.has(target))',
    replace: '!shownOf(product).some(([target]) => listed.size === 0 || listed.has(target))',
  },
  {
    name: 'drift: a listing whose product was on no page is not missing',
    file: `${useCases}/close-cycle.ts`,
    find: 'known.filter((listing) => shouldBeLive(listing, time))',
    replace: 'known.filter((listing) => !shouldBeLive(listing, time) && false)',
  },
  {
    name: 'drift: a store that was disconnected is a failure of the verifier',
    file: `${useCases}/verify-listings.ts`,
    find: "if (error instanceof ConnectorError && error.code === 'STORE_NOT_CONNECTED') return 'over';",
    replace: 'void ConnectorError;',
  },
  {
    name: 'drift: two runs replace the progress of each other',
    file: `${useCases}/store-turn.ts`,
    find: 'isDeepStrictEqual(stored ?? { storeClientId: this.storeClientId }, before) ? next',
    replace: '[isDeepStrictEqual(stored, before)] ? next',
  },
  {
    name: 'drift: the repair by a person does not end a contest',
    file: `${useCases}/repair-drift.ts`,
    find: 'return [name, { open: { ...register.open, rearmedAt: now }, relapses: 0 }];',
    replace: 'return [name, { ...register, open: { ...register.open, rearmedAt: now } }];',
  },
  {
    name: 'drift: reconciled values have the time as their version, also where versions are numbers',
    file: `${useCases}/reconcile.ts`,
    find: 'time: now, version, storeClientId, prices',
    replace: 'time: now, ...(version === now && { version }), storeClientId, prices',
  },
  {
    name: 'drift: two runs begin a cycle each',
    file: `${useCases}/store-turn.ts`,
    find: 'return (await this.#save({ cycle: begun })) && this.#goOn(',
    replace: 'return this.#goOn(',
  },
];
