import type { Mutant } from './mutant.ts';

/** Mistakes in the order of sending, in leases, and in the reading of answers. */
export const laneMutants: readonly Mutant[] = [
  {
    name: 'values count as accepted by an answer that tells nothing of its rows',
    file: 'shared/marketplace/batch.ts',
    find: 'summary: isTold ? summary : otherwise,',
    replace: 'summary: isTold ? summary : {},',
  },
  {
    name: 'prices are sent before zeros',
    file: 'shared/lanes/use-cases/pick-request.ts',
    find: '[zeroStock, loweredStock, price, stock]',
    replace: '[price, zeroStock, loweredStock, stock]',
  },
  {
    name: 'a hold of prices holds zeros too',
    file: 'shared/lanes/use-cases/pick-request.ts',
    find: 'pricesHeld ? [zeroStock, loweredStock, stock]',
    replace: 'pricesHeld ? [loweredStock, stock]',
  },
  {
    name: 'a hold of prices holds all stock too',
    file: 'shared/lanes/use-cases/pick-request.ts',
    find: 'pricesHeld ? [zeroStock, loweredStock, stock]',
    replace: 'pricesHeld ? []',
  },
  {
    name: 'zeros that arrived after the choice of the rows are not checked',
    file: 'shared/lanes/use-cases/send-request.ts',
    find: 'if (isZeroFirst) return false;',
    replace: '',
  },
  {
    name: 'nothing is looked at again before a request is signed',
    file: 'shared/lanes/use-cases/send-request.ts',
    find: 'if (!mustReadRows && first !== undefined && first >= priority) return true;',
    replace: 'return true;',
  },
  {
    name: 'a lease that was taken ahead is never extended',
    file: 'shared/lanes/use-cases/lane-context.ts',
    find: 'let isHeld = context.leasedUntil >= until;',
    replace: 'let isHeld = context.leasedUntil > 0;',
  },
  {
    name: 'changes of the chosen rows themselves are not checked',
    file: 'shared/lanes/use-cases/send-request.ts',
    find: "return next === priority || (kind === 'price' && next === priorities.loweredStock);",
    replace: 'return true;',
  },
  {
    name: 'a target in flight is sent again',
    file: 'shared/lanes/use-cases/pick-request.ts',
    find: 'besides: busy,',
    replace: '',
  },
  {
    name: 'a listing that moved to another page between two reads is sent twice',
    file: 'shared/lanes/use-cases/pick-request.ts',
    find: 'listings: listings.filter(isFirst)',
    replace: 'listings',
    scenario: 'takeovers',
  },
  {
    name: 'rows whose outcome could not be stored are sent again by the same holder',
    file: 'shared/lanes/use-cases/lane-run.ts',
    find: 'const result = await sendRequest(this.#context, request, place, this.#rows);',
    replace:
      'const result = await sendRequest(this.#context, request, place, this.#rows).finally(() => this.#rows.end(request));',
    scenario: 'takeovers',
  },
  {
    name: 'a try of refused credentials is stopped before its correction',
    file: 'shared/lanes/use-cases/send-request.ts',
    find: 'const options: CallOptions = {\n    signal,',
    replace:
      'const options: CallOptions = {\n    signal,\n    permits: { reserve: (request) => ports.limiter.reserve({ ...request, heedsStop: true }) },',
  },
  {
    name: 'the lease ends when the request is signed',
    file: 'shared/lanes/use-cases/send-request.ts',
    find: 'await holdLane(context, signedAt + settings.attemptLifetimeMs);',
    replace: 'await holdLane(context, signedAt);',
  },
  {
    name: 'clocks are assumed to be equal',
    file: 'shared/time/waits.ts',
    find: ' + CLOCK_MARGIN_MS',
    replace: '',
  },
  {
    name: 'a request is sent although the lease is lost',
    file: 'shared/lanes/use-cases/lane-context.ts',
    find: 'if (isHeld && ports.clock.now() < until) return;',
    replace: 'return;',
  },
  {
    name: 'rows of unknown outcome are sent again at once',
    file: 'shared/lanes/use-cases/settle-request.ts',
    find: 'const notBefore = signed.signedAt + context.settings.attemptLifetimeMs;',
    replace: 'const notBefore = signed.signedAt;',
  },
  {
    name: 'an unknown outcome counts as a refusal',
    file: 'shared/marketplace/failures.ts',
    find: "if (outcome === 'unknown') return 'unknown';",
    replace: '',
  },
  {
    name: 'the lease is released after a failure',
    file: 'shared/lanes/use-cases/lane-exit.ts',
    find: 'throw halt.error;',
    replace: 'await this.release(); throw halt.error;',
  },
  {
    name: 'rows that the answer refuses count as accepted',
    file: 'shared/lanes/rules/read-outcome.ts',
    find: ": { outcome: 'rejected', code: row.error.code };",
    replace: ": { outcome: 'accepted' };",
  },
  {
    name: 'a temporarily refused row is rejected finally',
    file: 'shared/lanes/rules/read-outcome.ts',
    find: 'return isRowRetryable(row.error)\n',
    replace: 'return isRowRetryable(row.error) && false\n',
  },
  {
    name: 'a row error without rowIndex is applied to the first row',
    file: 'shared/marketplace/row-outcomes.ts',
    find: 'if (rowIndex >= sent) return first;',
    replace: 'if (rowIndex >= sent) return [0];',
  },
  {
    name: 'a request refused as a whole rejects its first row',
    file: 'shared/lanes/use-cases/settle-request.ts',
    find: 'const alone = others.length === 0 ? row : undefined;',
    replace: 'const alone = others.length < 0 ? undefined : row;',
  },
  {
    name: 'a request refused as a whole with an unknown code stops its lane',
    file: 'shared/marketplace/failures.ts',
    find: "? 'refused' : 'rows';",
    replace: "|| !/^(VAL_|INV_00[12]$|PRD_016$|HTTP_|REQ)/.test(code) ? 'refused' : 'rows';",
  },
  {
    name: 'a request refused as a whole is sent again unchanged',
    file: 'shared/lanes/rules/pacing.ts',
    find: 'rowsAtMost: halfOf(rows)',
    replace: 'rowsAtMost: rows',
  },
  {
    name: 'the waker sends no tickets',
    file: 'shared/lanes/use-cases/wake-lanes.ts',
    find: 'if (woken.length > 0) await tickets.send(woken);',
    replace: '',
  },
  {
    name: 'a hold is checked before the choice of the rows, and not after',
    file: 'shared/lanes/use-cases/send-request.ts',
    find: "if (pricesHeld && kind === 'price') return false;",
    replace: '',
  },
  {
    name: 'invalid rows are not reported',
    file: 'shared/changes/use-cases/intake-outcome.ts',
    find: 'await reportRejections(this.#ports, rejections);',
    replace: '',
  },
  {
    name: 'stock for the listed warehouses is set for all',
    file: 'shared/changes/rules/read-items.ts',
    find: 'if (warehouses === undefined) return stock === undefined ? {} : { stock };',
    replace: 'if (stock !== undefined) return { stock }; if (warehouses === undefined) return {};',
  },
  {
    name: 'rows that the lane sends again are reported as rejected',
    file: 'shared/batches/rules/batch-record.ts',
    find: 'rejectedRows.filter((row) => !isRowRetryable(row))',
    replace: 'rejectedRows',
  },
  {
    name: 'no rejected row of stock and prices is reported',
    file: 'shared/batches/rules/batch-record.ts',
    find: 'rejectedRows.filter((row) => !isRowRetryable(row))',
    replace: '[]',
  },
];
