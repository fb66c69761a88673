import { expect, test } from 'vitest';
import { commandsOf, wayOut } from '../../../cli/render/way-out.ts';
import {
  describeContested,
  describeDeadLetters,
  describeFailedImport,
  describeHeldImport,
  describeHeldPrices,
  describeStop,
  describeSuspendedStore,
  describeUnboundWork,
  describeUnknownOrder,
  describeUnmatchedSummary,
  describeUnresolvedBatch,
} from '../../../shared/attention/rules/describe.ts';
import type { ListedBatch } from '../../../shared/batches/model.ts';

const time = '2026-11-22T15:00:00.000Z';
const store = {
  storeClientId: 'my store',
  storeToken: 't',
  state: 'suspended',
  names: { products: 'sku', orders: 'orderId' },
  connectedAt: time,
  updatedAt: time,
} as const;
const rows = { sent: 1, accepted: 0, rejected: 0, unknown: 1 };
const batch: ListedBatch = {
  batchId: 'batch-1',
  submittedAt: time,
  summary: { total: 1, failed: 0, pending: 1 },
  rows,
  unconfirmedRows: 0,
  state: 'unresolved',
  announced: [],
};
const decision = {
  state: 'unknown',
  commandId: 'c',
  recordId: 'r',
  startedAt: time,
  endedAt: time,
} as const;

test('the way out of a batch whose ID begins like an option names it after all options', () => {
  const entry = describeUnresolvedBatch({ ...batch, batchId: '--yes', kind: 'stock' });
  expect(wayOut(entry)).toBe('batches resolve --rest accepted -- --yes');
});

test('what waits for an unbound store is dropped whole by its command, held prices alone by theirs', () => {
  const unbound = describeUnboundWork({ store, listings: 1, hasMore: false, oldestAt: 0 });
  const held = describeHeldPrices({
    storeClientId: 's',
    hold: { since: time, reason: 'r', changedListings: 1, knownListings: 1, announced: true },
  });
  expect(wayOut(unbound)).toBe('stores connect');
  const discards = ({ remedies }: typeof held) =>
    commandsOf(remedies.filter(({ name }) => name === 'discard').map(({ call }) => call));
  expect(discards(unbound)).toEqual(["stores discard 'my store' --everything"]);
  expect(discards(held)).toEqual(['stores discard s']);
});

test.each([
  ['a suspended store', describeSuspendedStore(store), "stores rotate 'my store' --token-file -"],
  [
    'held prices',
    describeHeldPrices({
      storeClientId: 's',
      hold: { since: time, reason: 'r', changedListings: 1, knownListings: 1, announced: true },
    }),
    'stores release s',
  ],
  [
    'a held import',
    describeHeldImport({
      importId: 'i',
      storeClientId: 's',
      bucket: 'b',
      key: 'stock/s/full/a.csv',
      putAt: time,
      startedAt: time,
    }),
    'imports release i',
  ],
  [
    'a failed file',
    describeFailedImport({
      importId: 'i',
      storeClientId: 's',
      bucket: 'b',
      key: 'stock/s/a.csv',
      putAt: time,
      startedAt: time,
    }),
    'imports show i',
  ],
  [
    'a contested listing',
    describeContested({
      storeClientId: 's',
      target: 'sku:A 1',
      registers: {
        price: { open: { wanted: 1, version: 1, live: 2, since: time }, relapses: 3, contestedSince: time },
      },
    }),
    "drift repair 'sku:A 1' --store s",
  ],
  [
    'an unknown decision',
    describeUnknownOrder({ storeClientId: 's', orderKey: 'k', orderId: 'o', decision }, Date.parse(time))[0],
    'orders resolve o --store s --action decision',
  ],
  [
    'an unknown decision of an order by invoice number',
    describeUnknownOrder(
      { storeClientId: 's', orderKey: 'k', invoiceNumber: 'INV-1', decision },
      Date.parse(time),
    )[0],
    'orders resolve INV-1 --invoice-number --store s --action decision',
  ],
  [
    'an unresolved batch that can be read back',
    describeUnresolvedBatch({ ...batch, kind: 'catalog-sync' }),
    'batches read-back batch-1',
  ],
  [
    'an unresolved batch that cannot be read back',
    describeUnresolvedBatch({ ...batch, kind: 'dropoff' }),
    'batches resolve batch-1 --rest accepted',
  ],
  [
    'a summary without a batch',
    describeUnmatchedSummary({ ...batch, state: 'unmatched' }),
    'webhooks discard batch-1',
  ],
  [
    'dead letters',
    describeDeadLetters(
      {
        topic: 'Queue',
        arn: 'arn:aws:sqs:r:0:Stack-Dlq-1',
        queueArn: 'arn:aws:sqs:r:0:Stack-Queue-1',
        messages: 2,
      },
      0,
    ),
    'dlq show Stack-Dlq-1',
  ],
] as const)('%s has the command that ends it', (_, attention, command) => {
  expect(attention && wayOut(attention)).toBe(command);
});

test('each remedy has its command, and one command for all where it takes several', () => {
  const orders = ['o-1', 'o-2'].map(
    (orderId) =>
      describeUnknownOrder({ storeClientId: 's', orderKey: 'k', orderId, decision }, Date.parse(time))[0],
  );
  const remedies = [0, 1, 2].map((index) =>
    commandsOf(orders.flatMap((order) => order?.remedies[index]?.call ?? [])),
  );
  expect(remedies).toEqual([
    ['orders resolve o-1 o-2 --store s --action decision --outcome accepted'],
    ['orders resolve o-1 o-2 --store s --action decision --outcome rejected'],
    ['orders retry o-1 o-2 --store s --action decision'],
  ]);
  const stores = ['a', 'b'].map((storeClientId) => describeSuspendedStore({ ...store, storeClientId }));
  expect(
    stores[0]?.remedies.map((_, index) =>
      commandsOf(stores.flatMap((one) => one.remedies[index]?.call ?? [])),
    ),
  ).toEqual([['stores rotate a --token-file -', 'stores rotate b --token-file -'], ['stores resume a b']]);
  const letters = describeDeadLetters(
    { topic: 'Work', arn: 'arn:aws:sqs:r:0:Dead', queueArn: 'arn:aws:sqs:r:0:Work', messages: 2 },
    0,
  );
  expect(letters.remedies.map(({ call }) => commandsOf([call]))).toEqual([
    ['dlq redrive Dead'],
    ["dlq delete Dead --message '…' --reason '…'"],
  ]);
});

test('a call that no command makes has no command', () => {
  const stop = describeStop({ code: 'AUTH_010', message: 'Invalid signature', since: 0 }, 'arn:secret');
  expect(wayOut(stop)).toBeUndefined();
  expect(commandsOf(['POST /planets/p/resume'])).toEqual([]);
});
