import type { Mutant } from './mutant.ts';

/** Mistakes in the order of leaving, in leases, and in what an answer means. */
export const laneMutants: readonly Mutant[] = [
  {
    name: 'prices leave before zeros',
    file: 'shared/lanes/use-cases/pick-request.ts',
    find: '[zeroStock, price, priceOverLowered, stock]',
    replace: '[price, zeroStock, priceOverLowered, stock]',
  },
  {
    name: 'zeros held under a hold',
    file: 'shared/lanes/use-cases/pick-request.ts',
    find: 'pricesHeld ? [zeroStock, priceOverLowered, stock]',
    replace: 'pricesHeld ? [priceOverLowered, stock]',
  },
  {
    name: 'everything held under a hold',
    file: 'shared/lanes/use-cases/pick-request.ts',
    find: 'pricesHeld ? [zeroStock, priceOverLowered, stock]',
    replace: 'pricesHeld ? []',
  },
  {
    name: 'nobody looks for zeros that came in since the rows were chosen',
    file: 'shared/lanes/use-cases/send-request.ts',
    find: 'if (isZeroFirst) throw',
    replace: 'if (false) throw',
  },
  {
    name: 'a target in flight leaves once more',
    file: 'shared/lanes/use-cases/pick-request.ts',
    find: '.filter(({ target }) => !held.has(target))',
    replace: '',
  },
  {
    name: 'a target leaves again because it was read before its request ended',
    file: 'shared/lanes/use-cases/lane-run.ts',
    find: 'busy: new Set(this.#busy),',
    replace: 'busy: this.#busy,',
  },
  {
    name: 'a corrected request waits for the permit that its own call holds',
    file: 'shared/lanes/use-cases/send-request.ts',
    find: 'isGivenBack = true;',
    replace: 'return Promise.resolve();',
  },
  {
    name: 'the lease ends when the request is signed',
    file: 'shared/lanes/use-cases/send-request.ts',
    find: 'const until = signedAt + settings.attemptLifetimeMs;',
    replace: 'const until = signedAt;',
  },
  {
    name: 'clocks are taken to be one',
    file: 'shared/attempts/rules/attempt-lifetime.ts',
    find: ' + CLOCK_MARGIN_MS',
    replace: '',
  },
  {
    name: 'a request leaves although the lease is lost',
    file: 'shared/lanes/use-cases/lane-context.ts',
    find: 'if (isExtended && ports.clock.now() < until) return;',
    replace: 'return;',
  },
  {
    name: 'an unknown outcome is not fenced',
    file: 'shared/lanes/use-cases/settle-request.ts',
    find: 'const notBefore = signed.signedAt + context.settings.attemptLifetimeMs;',
    replace: 'const notBefore = signed.signedAt;',
  },
  {
    name: 'an unknown outcome is taken for a refusal',
    file: 'shared/lanes/rules/read-outcome.ts',
    find: "if (error.outcome === 'unknown') return 'unknown';",
    replace: '',
  },
  {
    name: 'the lease is let go after a failure',
    file: 'shared/lanes/use-cases/lane-exit.ts',
    find: 'throw halt.error;',
    replace: 'await this.#lease.letGo(); throw halt.error;',
  },
  {
    name: 'rows that the answer refuses count as accepted',
    file: 'shared/lanes/rules/read-outcome.ts',
    find: 'for (const error of answer.errors) {',
    replace: 'for (const error of answer.errors.slice(1)) {',
  },
  {
    name: 'a row refused for now is rejected for good',
    file: 'shared/lanes/rules/read-outcome.ts',
    find: 'outcomes[index] = isRowRetryable(error)',
    replace: 'outcomes[index] = isRowRetryable(error) && false',
  },
  {
    name: 'a row error without rowIndex is the first row',
    file: 'shared/lanes/rules/read-outcome.ts',
    find: 'rowNamedBy(error, rows);',
    replace: '0;',
  },
  {
    name: 'a request refused as a whole rejects its first row',
    file: 'shared/lanes/use-cases/settle-request.ts',
    find: 'if (signed.request.rows.length > 1) return { verdict };',
    replace: '',
  },
  {
    name: 'a ticket is taken for the truth: the waker sends none',
    file: 'shared/lanes/use-cases/wake-lanes.ts',
    find: 'if (tickets.length > 0) await ports.tickets.send(tickets);',
    replace: '',
  },
  {
    name: 'nobody looks whether prices are held before they leave',
    file: 'shared/lanes/use-cases/lane-run.ts',
    find: 'this.#pricesHeld = guard?.hold !== undefined;',
    replace: 'this.#pricesHeld = guard === undefined;',
  },
  {
    name: 'a hold is asked for before the rows are chosen, and not after',
    file: 'shared/lanes/use-cases/lane-run.ts',
    find: "if (request.kind === 'price' && (await this.#arePricesHeld())) {",
    replace: "if (request.kind === 'price' && this.#pricesHeld) {",
  },
  {
    name: 'rows that break a rule are told to nobody',
    file: 'shared/listings/use-cases/take-changes.ts',
    find: 'await reportRejections(ports, rejections);',
    replace: '',
  },
  {
    name: 'the stock that warehouses share is that of all',
    file: 'shared/listings/rules/read-stock-item.ts',
    find: 'if (warehouses === undefined) return stock === undefined ? {} : { stock };',
    replace: 'if (stock !== undefined) return { stock }; if (warehouses === undefined) return {};',
  },
  {
    name: 'the bus is told of rows that the lane sends again',
    file: 'shared/batches/rules/announcements.ts',
    find: 'const kept = (submission?.rejectedRows ?? []).filter(isRowRetryable);',
    replace: 'const kept = (submission?.rejectedRows ?? []).filter(() => false);',
  },
  {
    name: 'the bus is told of no row of stock and prices',
    file: 'shared/batches/rules/announcements.ts',
    find: 'const kept = (submission?.rejectedRows ?? []).filter(isRowRetryable);',
    replace: 'const kept = submission?.rejectedRows ?? [];',
  },
];
