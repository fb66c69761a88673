import type { Mutant } from './mutant.ts';

const rules = 'shared/listings/rules';

/** Mistakes in the intake and merge of changes, and in rendering rows. */
export const listingMutants: readonly Mutant[] = [
  {
    name: 'a message is acknowledged although its rows were not written',
    file: 'shared/changes/use-cases/intake-outcome.ts',
    find: 'for (const messageId of messageIds) this.#failed.add(messageId);',
    replace: '',
  },
  {
    name: 'only the last of several rows of one target in a batch counts',
    file: 'shared/changes/rules/merge-rows.ts',
    find: 'for (const row of rows) {',
    replace: 'for (const row of rows.slice(-1)) {',
  },
  {
    name: 'the pages of what waits are not put',
    file: 'shared/listings/pages/paged-listings.ts',
    find: 'if (put.length > 0) await paged.pages.putAll(put);',
    replace: '',
  },
  {
    name: 'a listing that waits is put in no page',
    file: 'shared/listings/pages/paged-listings.ts',
    find: 'return { ...listing, page: own.pageOf(target) };',
    replace: 'return listing;',
  },
  {
    name: 'a page counts as written when the first of its listings is',
    file: 'shared/listings/pages/prepared-pages.ts',
    find: ' || left.size > 0',
    replace: '',
  },
  {
    name: 'a page is deleted before its writer has come to its listings',
    file: 'shared/listings/pages/paged-listings.ts',
    find: 'UNUSED_FOR_MS = 300_000;',
    replace: 'UNUSED_FOR_MS = 0;',
  },
  {
    name: 'a page is deleted when the first of its listings has left it',
    file: 'shared/listings/pages/emptied-pages.ts',
    find: 'if (open?.size === 0) await',
    replace: 'await',
  },
  {
    name: 'a listing stays in its page when it moves to another priority',
    file: 'shared/listings/pages/page-places.ts',
    find: 'page === undefined || !isSamePriority(page, place)',
    replace: 'page === undefined',
  },
  {
    name: 'a listing that waits is looked for in every page that has its target',
    file: 'shared/listings/pages/paged-listings.ts',
    find: '.filter((it) => it.page === page.page)',
    replace: '',
  },
  {
    name: 'the time of the message counts instead of that of the change',
    file: 'shared/changes/rules/read-changes.ts',
    find: "typeof occurredAt === 'string' ? Date.parse(occurredAt) : (occurredAt ?? eventTime)",
    replace: 'eventTime',
  },
  {
    name: 'a stale value counts as a new one',
    file: `${rules}/merge-change.ts`,
    find: 'if (order > 0)\n      desired[name] =',
    replace: 'if (order !== 0)\n      desired[name] =',
  },
  {
    name: "a warehouse's value loses to a global one of the same version",
    file: `${rules}/merge-change.ts`,
    find: 'value.version < global.version ? -1 : 1',
    replace: 'value.version <= global.version ? -1 : 1',
  },
  {
    name: 'a global value replaces a warehouse value of the same version',
    file: `${rules}/merge-change.ts`,
    find: 'register.version < global.version,',
    replace: 'register.version <= global.version,',
  },
  {
    name: 'an older warehouse value outlives a newer global one',
    file: `${rules}/merge-change.ts`,
    find: 'if (own.length === 0) return listing;',
    replace: 'return listing;',
  },
  {
    name: 'at equal versions the larger value wins',
    file: 'shared/listings/model.ts',
    find: 'return (b.value ?? 0) - (a.value ?? 0);',
    replace: 'return (a.value ?? 0) - (b.value ?? 0);',
  },
  {
    name: 'at equal versions no special price wins over a special price',
    file: 'shared/listings/model.ts',
    find: 'return a.value === null ? -1 : 1;',
    replace: 'return a.value === null ? 1 : -1;',
  },
  {
    name: 'the outcome of any value counts for the newest value',
    file: `${rules}/row.ts`,
    find: 'settled[name] = { ...register, ...outcome, ...before };',
    replace:
      "const newest = outcome.outcome === 'accepted' ? listing.desired[name] : undefined; settled[name] = { ...register, ...newest, ...outcome, ...before };",
  },
  {
    name: 'a value is pending by its version alone',
    file: `${rules}/waiting.ts`,
    find: 'return !isSameValue(listing.settled[name], desired);',
    replace: 'return listing.settled[name]?.version !== desired.version;',
  },
  {
    name: 'a new change removes the notBefore of an unknown outcome',
    file: `${rules}/merge-change.ts`,
    find: "return { result: 'changed', listing: withWaiting(merged, now), stale };",
    replace:
      "const { notBefore: _, ...unfenced } = merged; return { result: 'changed', listing: withWaiting(unfenced, now), stale };",
  },
  {
    name: 'a late answer removes the notBefore of a newer attempt',
    file: `${rules}/row.ts`,
    find: 'return withWaiting({ ...answered, settled, failures: 0 }, now);',
    replace: 'return withWaiting({ ...answered, settled, failures: 0, notBefore: 0 }, now);',
  },
  {
    name: 'a zero waits for the backoff of another row',
    file: `${rules}/waiting.ts`,
    find: 'if (backoffUntil === undefined || hasUnsentLowerStock(listing)) return notBefore;',
    replace: 'if (backoffUntil === undefined) return notBefore;',
  },
  {
    name: 'a zero does not wait for the notBefore of an unknown outcome',
    file: `${rules}/waiting.ts`,
    find: 'if (backoffUntil === undefined || hasUnsentLowerStock(listing)) return notBefore;',
    replace: 'if (hasUnsentLowerStock(listing)) return 0; if (backoffUntil === undefined) return notBefore;',
  },
  {
    name: 'a zero shares a row with a raise',
    file: `${rules}/waiting.ts`,
    find: 'registers: rowOf(zeros) };',
    replace: 'registers: rowOf(stock) };',
  },
  {
    name: 'a warehouse that does not exist has the values of the others rejected',
    file: `${rules}/row.ts`,
    find: 'if (isForOneOfSeveral(outcome, row)) {',
    replace: 'if (isForOneOfSeveral(outcome, row) && false) {',
  },
  {
    name: 'of zeros that are sent one at a time, the first is sent again and again',
    file: `${rules}/waiting.ts`,
    find: '.toSorted((a, b) => sentAt(a).localeCompare(sentAt(b)))',
    replace: '',
    scenario: 'stock-and-price',
  },
  {
    name: 'an outcome replaces that of a newer value',
    file: `${rules}/row.ts`,
    find: 'if (known !== undefined && order > 0) {',
    replace: 'if (known !== undefined && false) {',
  },
  {
    name: 'stock is sent before a waiting price',
    file: `${rules}/waiting.ts`,
    find: 'if (prices.length > 0) {',
    replace: 'if (prices.length > 0 && stock.length === 0) {',
  },
  {
    name: 'any stock with an accepted value counts as lowered',
    file: `${rules}/waiting.ts`,
    find: ' || (value ?? 0) > Math.min(accepted, lowest ?? accepted)',
    replace: '',
  },
  {
    name: 'a global row is sent over a newer warehouse value',
    file: `${rules}/row.ts`,
    find: ' && !storeWarehouses.some(isOwn)) {',
    replace: ') {',
  },
  {
    name: "the global value replaces the warehouses' own values",
    file: `${rules}/row.ts`,
    find: '.filter((clientId) => !isOwn(clientId))',
    replace: '',
  },
  {
    name: 'a special price is never cleared',
    file: `${rules}/row.ts`,
    find: '{ specialPrice: registers.specialPrice.value };',
    replace: '{ specialPrice: registers.specialPrice.value ?? undefined };',
  },
  {
    name: 'a read of a product overwrites its listing with an older copy',
    file: 'shared/listings/use-cases/recording-reads.ts',
    find: 'current && withLive(current, live);',
    replace: 'current && withLive(listing, live);',
  },
  {
    name: 'a row by any identifier is accepted',
    file: 'shared/stores/rules/names.ts',
    find: 'if (given === expected) return undefined;',
    replace: 'return undefined;',
  },
  {
    name: 'outcomes stay although the product was recreated',
    file: 'shared/listings/use-cases/rearm.ts',
    find: 'const isNew = knownAt > createdAt;',
    replace: 'const isNew = false;',
  },
  {
    name: 'rows signed before a product was recreated settle its values',
    file: `${rules}/row.ts`,
    find: 'createdAt + CLOCK_MARGIN_MS >= row.signedAt',
    replace: 'false',
  },
  {
    name: 'a UUID in another case is another target',
    file: `${rules}/target.ts`,
    find: "name === 'sku' ? value : value.toLowerCase()",
    replace: 'value',
  },
  {
    name: 'all variants of a product are recorded with the values of the first',
    file: 'shared/listings/use-cases/recording-reads.ts',
    find: '[target, valuesOf(variant)] as const',
    replace: '[target, valuesOf(variants[0] ?? variant)] as const',
  },
];
