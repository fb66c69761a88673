import { describe, expect, test } from 'vitest';
import { simpleProduct } from '../../../local/run/catalog.ts';
import { resolveBatch } from '../../../shared/batches/use-cases/operate-batch.ts';
import type { TraceSubject } from '../../../shared/trace/model.ts';
import { traceOf } from '../../../shared/trace/trace.ts';
import { inMemoryChangeEventTable } from '../../doubles/in-memory-change-event-table.ts';
import { inMemoryListingTable } from '../../doubles/in-memory-listing-table.ts';
import { inMemoryOrderTable } from '../../doubles/in-memory-order-table.ts';
import { setUpBulk } from '../products/bulk-setup.ts';
import { cutAlways, LIFETIME_MS, productId, setUp } from '../products/update-setup.ts';
import { emptyTracePorts } from './trace-ports.ts';

const DAY_MS = 86_400_000;

type Ports = ReturnType<typeof setUp>['ports'];

/** The steps of a trace over the tables of a set-up. */
function tracer(ports: Ports) {
  const all = {
    ...ports,
    ...emptyTracePorts(),
    changeEvents: inMemoryChangeEventTable(),
    orders: inMemoryOrderTable(),
    listings: inMemoryListingTable(),
  };
  return async (subject: TraceSubject) => (await traceOf(all, subject)).steps;
}

/** A command of each kind about products, whose requests are always cut off after they were sent. */
const lost = {
  'catalog.sync.requested': async () => {
    const { give, command, ...rest } = setUpBulk(cutAlways);
    const products = [simpleProduct(1)];
    await give(command({ detailType: 'catalog.sync.requested', products }));
    return rest;
  },
  'product.create.requested': async () => {
    const { give, command, ...rest } = setUpBulk(cutAlways);
    await give(command({ products: [simpleProduct(1)] }));
    return rest;
  },
  'product.delete.requested': async () => {
    const { give, deletion, ...rest } = setUpBulk(cutAlways);
    await give(deletion([productId]));
    return rest;
  },
  'product.update.requested': async () => {
    const { update, ...rest } = setUp(cutAlways);
    await update('c-1', { name: 'Mug' });
    return rest;
  },
};

describe.each(Object.entries(lost))('a %s without an answer', (detailType, begin) => {
  test('is unknown after its last try, then says what an operator recorded', async () => {
    const { ports, time, sweep } = await begin();
    const trace = tracer(ports);
    const open = await trace({ commandId: 'c-1' });
    expect(open).toContainEqual(expect.objectContaining({ what: 'command.given', detailType }));
    expect(open).toContainEqual(
      expect.objectContaining({ what: 'request.tried', outcome: 'unknown', code: 'CONNECTION_CUT' }),
    );
    expect(open.filter(({ what }) => what === 'request.ended')).toEqual([]);

    time.now += DAY_MS;
    await sweep();
    const unknown = await trace({ commandId: 'c-1' });
    expect(unknown).toContainEqual(expect.objectContaining({ what: 'request.ended', outcome: 'unknown' }));
    const submitted = unknown.find(({ what }) => what === 'batch.submitted');
    expect(submitted).toMatchObject({
      outcome: 'open',
      message: expect.stringMatching(/^the sweeper reads it back after /),
    });

    time.now += DAY_MS + LIFETIME_MS;
    await resolveBatch(ports, submitted?.batchId ?? '', { rows: [], rest: 'accepted' });
    const resolved = await trace({ commandId: 'c-1' });
    expect(resolved).toContainEqual(
      expect.objectContaining({
        what: 'batch.resolved',
        message: 'an operator recorded the outcome of its unknown rows',
      }),
    );
    expect(resolved).toContainEqual(expect.objectContaining({ what: 'batch.ended', outcome: 'completed' }));
    expect(resolved.map(({ what }) => what)).not.toContain('batch.read-back');
  });
});

test('a request whose answer is known is open until its batch is recorded, and ends with that', async () => {
  const { give, command, ports } = setUpBulk();
  const { update } = ports.batches;
  const trace = tracer(ports);
  const sync = command({
    detailType: 'catalog.sync.requested',
    products: [simpleProduct(1)],
  });
  Object.assign(ports.batches, { update: () => Promise.reject(new Error('throttled')) });
  await give(sync);
  const open = await trace({ commandId: 'c-1' });
  expect(open).toContainEqual(expect.objectContaining({ what: 'request.tried', outcome: 'accepted' }));
  expect(open).toContainEqual(expect.objectContaining({ what: 'request.sent', outcome: 'open' }));
  expect(open.map(({ what }) => what)).not.toContain('request.ended');

  Object.assign(ports.batches, { update });
  await give(sync);
  const what = (await trace({ commandId: 'c-1' })).map((step) => step.what);
  expect(what).toEqual(expect.arrayContaining(['request.ended', 'batch.submitted']));
});

test('an update whose fields newer updates have set is superseded, and was not sent', async () => {
  const { ports, update, at } = setUp();
  await update('newer', { name: 'New mug' }, at(1));
  await update('older', { name: 'Old mug' }, at(0));
  const steps = await tracer(ports)({ commandId: 'older' });
  expect(steps).toContainEqual(
    expect.objectContaining({
      what: 'request.ended',
      outcome: 'superseded',
      message: 'newer updates have set all of its fields: nothing was sent',
    }),
  );
  expect(steps).toContainEqual(
    expect.objectContaining({ what: 'command.planned', rows: { given: 1, sent: 0, rejected: 0 } }),
  );
});
