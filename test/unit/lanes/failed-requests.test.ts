import { expect, test } from 'vitest';
import type { BatchTable } from '../../../shared/batches/ports.ts';
import { search } from '../../../shared/search/use-cases/search.ts';
import { traceOf } from '../../../shared/trace/trace.ts';
import { inMemoryImportTable } from '../../doubles/in-memory-import-table.ts';
import { inMemoryOrderTable } from '../../doubles/in-memory-order-table.ts';
import { inMemoryRejectionTable } from '../../doubles/in-memory-rejection-table.ts';
import { failure } from '../support/failure.ts';
import { emptyTracePorts } from '../trace/trace-ports.ts';
import { laneWorld, type Reply, STORE } from './lane-world.ts';

/** A world whose marketplace fails as often as there are errors, and then accepts. */
function failingWorld(errors: readonly Parameters<typeof failure>[1][]) {
  const left = [...errors];
  const reply: Reply = () => {
    const next = left.shift();
    if (next !== undefined) throw failure(next.code ?? 'SYS_UPS_001', next);
    return {};
  };
  const world = laneWorld({ reply });
  const ports = {
    ...emptyTracePorts(),
    ...world.ports,
    orders: inMemoryOrderTable(),
    imports: inMemoryImportTable(),
    rejections: inMemoryRejectionTable(),
  } as unknown as Parameters<typeof traceOf>[0] & Parameters<typeof search>[0];
  const trace = async (subject: Parameters<typeof traceOf>[1]) => (await traceOf(ports, subject)).steps;
  return { ...world, trace, find: (word: string) => search(ports, word) };
}

const timeout = { code: 'SYS_UPS_001', message: 'upstream', status: 504, outcome: 'unknown' } as const;
const busy = {
  code: 'SYS_DEP_503',
  message: 'try again',
  status: 503,
  outcome: 'refused',
  retryable: true,
} as const;

test.each([
  ['of unknown outcome', timeout, 'unknown: 504 SYS_UPS_001'],
  ['that was refused for now', busy, 'refused: 503 SYS_DEP_503'],
  ['that was refused as a whole', { code: 'VAL_001', status: 422 }, 'refused: 422 VAL_001'],
])('a request of stock %s is found by the ID of its error, with its products', async (_, error, outcome) => {
  const { connect, change, push, find, trace } = failingWorld([{ ...error, requestId: 'r-1' }]);
  await connect();
  await change('stock.changed', 1, [
    { sku: 'A', stock: 5 },
    { sku: 'B', stock: 6 },
  ]);
  await push();
  expect((await find('r-1')).hits).toMatchObject([
    { kind: 'request', storeClientId: STORE, what: `a stock request of 2 rows · ${outcome}` },
  ]);
  const steps = await trace({ requestId: 'r-1' });
  expect(steps).toMatchObject([{ what: 'request.tried', code: error.code, status: error.status }]);
  expect(steps[0]?.message).toContain('a stock request about sku:A, sku:B');
});

test('a request that is answered, and one that fails without an ID, write nothing by which they are found', async () => {
  const { connect, change, push, ports } = failingWorld([timeout]);
  const put: unknown[] = [];
  Object.assign(ports.requests, { putAliases: async (aliases: unknown) => void put.push(aliases) });
  await connect();
  await change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
  await push();
  await push();
  expect(put).toEqual([]);
});

test('the trace of a product counts the tries of its waiting value, with the last code; its batch has them, and then they end', async () => {
  const { connect, change, push, trace, clock, ports } = failingWorld([timeout, timeout]);
  await connect();
  await change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
  await push();
  await clock.run(clock.sleep(60_000));
  await push();
  const waiting = await trace({ target: 'sku:A', storeClientId: STORE });
  expect(waiting.find(({ what }) => what === 'value.waiting')?.message).toMatch(/; 2 tries so far$/);
  expect(waiting.find(({ what }) => what === 'request.tried')).toMatchObject({
    outcome: 'unknown',
    status: 504,
    code: 'SYS_UPS_001',
    message: 'upstream',
  });
  expect((await ports.lanes.get(STORE))?.tries).toMatchObject({ count: 2, lastFailed: { status: 504 } });

  await clock.run(clock.sleep(120_000));
  await push();
  const { batches } = await (ports.batches as BatchTable).list({});
  expect(batches).toMatchObject([
    { kind: 'stock', tries: { count: 3, lastFailed: { code: 'SYS_UPS_001' } } },
  ]);
  expect((await ports.listings.get(STORE, 'sku:A'))?.tries).toBeUndefined();
  expect((await ports.lanes.get(STORE))?.tries).toBeUndefined();
});

test('a value of an event waits from the time at which the event was taken, not before', async () => {
  const { connect, change, push, trace } = failingWorld([timeout]);
  await connect();
  await change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
  await push();
  const [first] = await trace({ eventId: 'id-0' });
  expect(first?.what).toBe('event.taken');
});

test('a value whose store is refused says so with the code, and not that it waits to be sent', async () => {
  const refused = { code: 'STORE_099', message: 'closed for stocktaking', status: 409, requestId: 'r-9' };
  const { connect, change, push, trace } = failingWorld([refused]);
  await connect();
  await change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
  await push();
  const [waiting] = (await trace({ target: 'sku:A', storeClientId: STORE })).filter(
    ({ what }) => what === 'value.waiting',
  );
  expect(waiting?.message).toMatch(
    /^waits for the marketplace: the last request for stock and prices of the store ended with 409 STORE_099, at \S+, request r-9$/,
  );
});

test('a row that is refused for now alone shows its own code', async () => {
  const reply: Reply = ({ items }) => ({
    errors: items.map((_, rowIndex) => ({
      rowIndex,
      code: 'INV_099',
      message: 'stock is counted',
      details: { retryable: true },
    })),
  });
  const { connect, change, push, ports } = laneWorld({ reply });
  await connect();
  await change('stock.changed', 1, [{ sku: 'A', stock: 5 }]);
  await push(1_000);
  expect((await ports.listings.get(STORE, 'sku:A'))?.tries).toMatchObject({
    lastFailed: { outcome: 'refused', code: 'INV_099', message: 'stock is counted' },
  });
});
