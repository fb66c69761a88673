import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ndjsonCatalog, skuOf } from '../../local/run/catalog.ts';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { until } from '../../local/run/until.ts';
import { contestPrice, settlePrices, verifyAll } from '../../tools/screenshots/drifting-listings.ts';
import { verifyOften } from '../../tools/screenshots/often-verified.ts';
import { type AlarmStates, alarmStates } from './support/alarm-states.ts';
import { type Runbook, readRunbook } from './support/runbook.ts';
import { impatientTemplate, lineOf, runbookWorld } from './support/runbook-world.ts';
import { postSummary } from './support/signed-summary.ts';

const PARTNER_KEY = 'sandbox-partner-secret';
const PRODUCTS = 5;

let run: ConnectorRun;
let world: ReturnType<typeof runbookWorld>;
let runbook: Runbook;
let alarms: AlarmStates;

beforeAll(async () => {
  const template = await impatientTemplate();
  verifyOften(template);
  alarms = alarmStates(template);
  run = await startQuickRun({ template, schedules: 'manual', log: alarms.log });
  world = runbookWorld(run);
  runbook = await readRunbook(run.local);
});

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
});

describe('Dead letters', () => {
  test('are sent again, once what kept them from being processed is corrected', async () => {
    const procedure = 'Send dead letters again';
    const store = 'store-0wh';
    const { batchId, deadlineAt } = await world.importCatalog(store, lineOf(1), { losesSummary: true });
    await world.batchAttribute(batchId, 'deadlineAt', 5);
    expect(await postSummary(run.local, { batchId, storeClientId: store, secret: PARTNER_KEY })).toBe(202);
    const { call } = await world.waitsFor('dead-letters');
    const [, source = '', destination = ''] = /--source-arn (\S+) --destination-arn (\S+)/.exec(call) ?? [];
    expect(source).toBe(run.local.outputs.SummariesDeadLettersArn);
    await world.batchAttribute(batchId, 'deadlineAt', deadlineAt);

    const arns = { DEAD_LETTERS_ARN: source, QUEUE_ARN: destination };
    await runbook.run(procedure, 'aws sqs start-message-move-task', arns);
    await until('the end of the move', async () => {
      const { body } = await runbook.run(procedure, 'aws sqs list-message-move-tasks', arns);
      return body.Results[0].Status === 'COMPLETED';
    });
    await until('the batch', async () => (await world.batchOf(batchId)).state === 'completed');
    await world.isOver('dead-letters');
  });

  test('are deleted with a reason, which their trace has, if they can never be processed', async () => {
    const procedure = 'Delete a dead letter';
    const [first, second] = [await world.poison('poison-1'), await world.poison('poison-2')];
    await world.waitsFor('dead-letters');
    const QUEUE = run.local.outputs.ChangesDeadLettersArn?.split(':').at(-1) ?? '';
    const REASON = 'sent by a test';
    const shown = await runbook.run(procedure, 'connector dlq show', { QUEUE });
    expect(shown.body).toContain(first);
    const byCommand = { QUEUE, REASON, MESSAGE: first };
    expect((await runbook.run(procedure, 'connector dlq delete', byCommand)).body).toContain(
      'Deleted 1 message',
    );
    await until('the deletion by the HTTP API', async () => {
      const { body } = await runbook.run(procedure, 'call', { ...byCommand, MESSAGE: second });
      return body.deleted.length === 1;
    });
    await world.poison('poison-3');
    const again = await runbook.run('Send dead letters again', 'connector dlq redrive', { QUEUE });
    expect(again.body).toContain('Moved');
    for (const eventId of ['poison-1', 'poison-2']) {
      const { body } = await run.partner.callApi('GET', `/trace?eventId=${eventId}`);
      expect(body.steps).toMatchObject([
        { what: 'row.rejected', code: 'DEAD_LETTER_DELETED', message: expect.stringContaining(REASON) },
      ]);
    }
    await world.isOver('dead-letters');
  });
});

test('a marketplace that answers 503 is found, what waits for it says so, and nothing has to be done', async () => {
  const store = 'store-0wh';
  await world.controls.addFault({ path: '*', times: 10_000, fault: { status: 503, code: 'SYS_DEP_503' } });
  await world.sendStock(store, 61);
  const procedure = 'The marketplace answers 5xx';
  await until(
    'the health of the marketplace',
    async () => {
      await run.local.triggerSchedule('LaneWaker');
      return (await runbook.run(procedure, 'call "$api/health"')).body.state === 'failing';
    },
    { withinMs: 60_000, everyMs: 500 },
  );
  expect((await runbook.run(procedure, 'connector status')).body).toMatch(/^The marketplace answers 503 /);
  const { body } = await runbook.run(procedure, 'connector trace', { ID: skuOf(1) });
  expect(body).toContain('waits for the marketplace');
  const late = 'Everything is late';
  expect((await runbook.run(late, 'connector status')).body).toMatch(/^The marketplace answers 503 /);
  expect((await runbook.run(late, 'connector doctor')).body).toMatch(
    /the marketplace (answers SYS_DEP_503|was not called)/,
  );
  const flow = await runbook.run(late, 'call "$api/flow"');
  expect(flow.body.lanes.some(({ waiting }: { waiting: number }) => waiting > 0)).toBe(true);
  await world.controls.clearFaults();
  await world.stockArrives(store, 61);
});

describe('a store that the marketplace refuses', () => {
  const blocked = 'store-1wh';
  const rotated = 'store-2wh';
  let readable: string;
  let unreadable: string;

  test('is suspended, and its batches end unresolved', async () => {
    const open = [
      await world.importCatalog(blocked, ndjsonCatalog(2), { losesSummary: true }),
      await world.importCatalog(blocked, ndjsonCatalog(2, 3), { losesSummary: true }),
    ];
    [readable = '', unreadable = ''] = open.map(({ batchId }) => batchId);
    await world.controls.setStore(blocked, { blocked: true });
    await world.importCatalog(rotated, lineOf(1));
    await world.controls.setStore(rotated, { token: 'rotated-token' });
    for (const { batchId } of open)
      await world.batchAttribute(batchId, 'deadlineAt', new Date(0).toISOString());
    await run.local.triggerSchedule('BatchSweeper');
    for (const { batchId } of open)
      await world.batchAttribute(batchId, 'lookedAt', new Date(0).toISOString());
    alarms.nextPeriod();
    await run.local.triggerSchedule('BatchSweeper');
    expect(alarms.isRaised('BatchesUnresolved')).toBe(true);
    await world.waitsFor('batch-unresolved', blocked);
    const { remedies } = await world.waitsFor('store-suspended', blocked);
    expect(remedies.map(({ name }) => name)).toEqual(['rotate-token', 'resume']);
    await world.sendStock(rotated, 7);
    await world.waitsFor('store-suspended', rotated);
  });

  test('has nothing sent any more that waited when everything was discarded', async () => {
    const procedure = 'Discard everything of a store';
    const before = await world.stockOf(blocked);
    await world.sendStock(blocked, 77);
    const path = `/stores/${blocked}/listings?target=sku:${skuOf(1)}`;
    await until('the waiting stock', async () => {
      const { body } = await run.partner.callApi('GET', path);
      return body.registers?.stock?.desired.value === 77;
    });
    const answer = await runbook.run(procedure, 'call "$api/stores/$STORE/discard"', { STORE: blocked });
    expect(answer.body).toMatchObject({ discarded: 1, done: true });
    const again = await runbook.run(procedure, 'connector stores discard', { STORE: blocked });
    expect(again.body).toContain('the waiting prices and stock of 0 listings');
    expect(await world.stockOf(blocked)).toBe(before);
  });

  test('sends what waits once it is resumed, or has its new token', async () => {
    const procedure = 'Resume a suspended store';
    await world.sendStock(blocked, 78);
    const shown = await runbook.run(procedure, 'call "$api/stores/$STORE"\n', { STORE: blocked });
    expect(shown.body).toMatchObject({
      state: 'suspended',
      stateReason: expect.stringContaining('AUTH_014'),
    });
    const unresolved = { BATCH: readable };
    const early = await runbook.run(
      'End an unresolved batch',
      'call "$api/batches/$BATCH/read-back"',
      unresolved,
    );
    expect(early).toMatchObject({ isRefused: true, body: { error: { code: 'STORE_NOT_CONNECTED' } } });
    const stores = await runbook.run(procedure, 'connector stores list');
    expect(stores.body).toMatch(new RegExp(`${blocked} +suspended`));
    const refused = await runbook.run(procedure, 'connector stores resume', { STORE: blocked });
    expect(refused.isRefused).toBe(true);
    await world.controls.setStore(blocked, { blocked: false });
    await runbook.run(procedure, 'call "$api/stores/$STORE/resume"', { STORE: blocked });
    await runbook.run(procedure, 'call "$api/stores/$STORE" -X PUT', {
      STORE: rotated,
      TOKEN: 'rotated-token',
    });
    const byCommand = { STORE: rotated, TOKEN: 'rotated-token' };
    const put = await runbook.run(procedure, 'connector stores rotate', byCommand);
    expect(put.body).toBe(`${rotated} is connected\n`);
    await Promise.all([world.stockArrives(blocked, 78), world.stockArrives(rotated, 7)]);
    expect([await world.stateOf(blocked), await world.stateOf(rotated)]).toEqual(['connected', 'connected']);
    await world.isOver('store-suspended');
  });

  test('has its unresolved batches ended, by reading back or by an operator’s word', async () => {
    const procedure = 'End an unresolved batch';
    const shown = await runbook.run(procedure, 'call "$api/batches/$BATCH"\n', { BATCH: unreadable });
    expect(shown.body.unknownRows).toMatchObject([{ rowIndex: 0 }, { rowIndex: 1 }]);
    const described = await runbook.run(procedure, 'connector batches show', { BATCH: unreadable });
    expect(described.body).toContain('unresolved');
    const readBack = await runbook.run(procedure, 'call "$api/batches/$BATCH/read-back"', {
      BATCH: readable,
    });
    const again = await runbook.run(procedure, 'connector batches read-back', { BATCH: readable });
    expect(again.isRefused).toBe(true);
    expect(readBack.body).toMatchObject({ state: 'completed', rows: { accepted: 2, unknown: 0 } });
    const resolve = () => runbook.run(procedure, 'call "$api/batches/$BATCH/resolve"', { BATCH: unreadable });
    expect((await resolve()).body).toMatchObject({
      state: 'completed_with_errors',
      rows: { accepted: 1, rejected: 1, unknown: 0 },
      announced: expect.arrayContaining(['batch.unresolved']),
    });
    expect(await resolve()).toMatchObject({ isRefused: true, body: { error: { code: 'BATCH_ENDED' } } });
    expect((await runbook.run(procedure, 'connector batches resolve', { BATCH: unreadable })).isRefused).toBe(
      true,
    );
    expect((await world.batchOf(unreadable)).announced).toContain('batch.completed');
    const retried = await runbook.run(procedure, 'connector batches retry', { BATCH: unreadable });
    expect(retried.body).toContain('1 row queued');
    await runbook.run(procedure, 'call "$api/batches/$BATCH/retry"', { BATCH: unreadable });
    await until('the new batch', async () =>
      (await world.batchesOf(blocked)).some(({ retryOf }: { retryOf?: string }) => retryOf === unreadable),
    );
    await world.isOver('batch-unresolved');
    alarms.nextPeriod();
    await run.local.triggerSchedule('BatchSweeper');
    expect(alarms.isRaised('BatchesUnresolved')).toBe(false);
  });
});

test('held prices are released, or discarded', async () => {
  const procedure = 'Release or discard held prices';
  const store = 'store-2wh';
  await world.importCatalog(store, ndjsonCatalog(PRODUCTS, 11));
  const skus = Array.from({ length: PRODUCTS }, (_, index) => skuOf(11 + index));
  const setPrices = (version: number, price: number) =>
    run.partner.putEvents([
      {
        detailType: 'price.changed',
        detail: { storeClientId: store, version, items: skus.map((sku) => ({ sku, price })) },
      },
    ]);
  const pricesOf = async () => {
    const { products } = await world.controls.products(store);
    return new Set(products.filter(({ sku }) => skus.includes(sku)).map(({ price }) => price));
  };
  const pricesAre = (price: number) =>
    until(`prices of ${price}`, async () => (await pricesOf()).size === 1 && (await pricesOf()).has(price));
  const limits = { maxListingsPercent: 20, maxChangePercent: 50, windowMinutes: 60 };
  await setPrices(1, 1000);
  await pricesAre(1000);
  await run.partner.callApi('PUT', `/stores/${store}/price-guard`, limits);
  await setPrices(2, 10);
  await world.waitsFor('prices-held', store);
  const shown = await runbook.run(procedure, 'call "$api/stores/$STORE/price-guard"', { STORE: store });
  expect(shown.body.hold).toMatchObject({ knownListings: PRODUCTS });
  const released = await runbook.run(procedure, 'connector stores release', { STORE: store });
  expect(released.body).toContain('released');
  await runbook.run(procedure, 'call "$api/stores/$STORE/release"', { STORE: store });
  await pricesAre(10);
  await world.isOver('prices-held');

  await setPrices(3, 3000);
  await world.waitsFor('prices-held', store);
  // They are held before they are merged.
  await run.local.idle();
  const dropped = await runbook.run(procedure, 'connector stores discard', { STORE: store });
  expect(dropped.body).toContain(`discarded the waiting prices of ${PRODUCTS} listings`);
  const discarded = await runbook.run(procedure, 'call "$api/stores/$STORE/discard"', { STORE: store });
  expect(discarded.body).toMatchObject({ discarded: 0, done: true });
  await world.isOver('prices-held');
  await run.local.idle();
  expect(await pricesOf()).toEqual(new Set([10]));
});

test('a held file of stock is discarded, or released', async () => {
  const procedure = 'Release or discard a held file of stock';
  const store = 'store-2wh';
  const other = skuOf(12);
  const putFile = async (name: string) => {
    const rows = `sku,stock,version\n${skuOf(11)},7,1\n`;
    await run.partner.putImportFile(`stock/${store}/full/${name}.csv`, rows);
    const { call } = await world.waitsFor('import-held', store);
    return { IMPORT: /imports\/([^/]+)\/release/.exec(call)?.[1] ?? '' };
  };
  const stockOf = async (sku: string) =>
    (await world.controls.products(store)).products.find((product) => product.sku === sku)?.stock;
  const before = await stockOf(other);
  expect(before).toBeGreaterThan(0);
  const mistake = await putFile('mistake');
  const shown = await runbook.run(procedure, 'call "$api/imports/$IMPORT"', mistake);
  const { state, known, missing } = shown.body.full;
  expect({ state, missing }).toEqual({ state: 'held', missing: known - 1 });
  const described = await runbook.run(procedure, 'connector imports show', mistake);
  expect(described.body).toContain('held');
  await runbook.run(procedure, 'call "$api/imports/$IMPORT/discard"', mistake);
  await world.isOver('import-held');
  expect(await stockOf(other)).toBe(before);

  const second = await putFile('mistake-too');
  expect((await runbook.run(procedure, 'connector imports discard', second)).body).toContain('discarded');
  await world.isOver('import-held');
  const right = await putFile('right');
  expect((await runbook.run(procedure, 'connector imports release', right)).body).toContain('is queued');
  await world.isOver('import-held');
  const late = await runbook.run(procedure, 'call "$api/imports/$IMPORT/release"', right);
  expect(late).toMatchObject({ isRefused: true, body: { error: { code: 'IMPORT_NOT_HELD' } } });
  await until('no stock', async () => (await stockOf(other)) === 0);
});

test('a file that failed is corrected and put again, or left', async () => {
  const procedure = 'Correct a file that failed';
  const store = 'store-2wh';
  const key = `stock/${store}/columns.csv`;
  const putFaulty = async () => {
    await run.partner.putImportFile(key, 'article,amount\nA-1,5\n');
    const { remedies } = await world.waitsFor('import-failed', store);
    expect(remedies[0]?.call).toMatch(new RegExp(`^aws s3 cp … s3://.*/${key}$`));
    return { IMPORT: /imports\/([^/]+)\/discard/.exec(remedies[1]?.call ?? '')?.[1] ?? '' };
  };
  const first = await putFaulty();
  const described = await runbook.run(procedure, 'connector imports show', first);
  expect(described.body).toContain('FILE_COLUMNS_UNKNOWN');
  const shown = await runbook.run(procedure, 'call "$api/imports/$IMPORT"', first);
  expect(shown.body.fault.code).toBe('FILE_COLUMNS_UNKNOWN');
  await run.partner.putImportFile(key, `sku,stock\n${skuOf(11)},7\n`);
  await world.isOver('import-failed');

  const second = await putFaulty();
  expect((await runbook.run(procedure, 'connector imports discard', second)).body).toContain('discarded');
  await world.isOver('import-failed');
  const again = await runbook.run(procedure, 'call "$api/imports/$IMPORT/discard"', second);
  expect(again.body.leftAt).toMatch(/Z$/);
});

test('a contested listing is repaired once more', async () => {
  const procedure = 'Decide a contested listing';
  const store = 'store-0wh';
  const sku = skuOf(31);
  await world.importCatalog(store, lineOf(31));
  await settlePrices(run, store, { [sku]: 700 });
  await contestPrice(run, store, { sku, price: 700 });
  await world.waitsFor('listing-contested', store);
  const listed = await runbook.run(procedure, 'call "$api/stores/$STORE/drift?kind=contested"', {
    STORE: store,
  });
  expect(listed.body.entries).toMatchObject([{ target: `sku:${sku}`, register: 'price', wanted: 700 }]);
  const named = await runbook.run(procedure, 'connector drift list', { STORE: store });
  expect(named.body).toContain('contested');
  const repaired = await runbook.run(procedure, 'connector drift repair', { STORE: store, SKU: sku });
  expect(repaired.body).toContain('price (contested)');
  await runbook.run(procedure, 'call "$api/stores/$STORE/drift/repair"', { STORE: store, SKU: sku });
  await until('the repair', async () => {
    await verifyAll(run, store);
    const { products } = await world.controls.products(store);
    return products.find((product) => product.sku === sku)?.price === 700;
  });
  await verifyAll(run, store);
  await world.isOver('listing-contested');
}, 120_000);

test('an order of unknown outcome is resolved, or sent once more', async () => {
  const procedure = 'Settle an order of unknown outcome';
  const store = 'store-0wh';
  alarms.nextPeriod();
  const [taken, lost] = [await world.loseDecision(store, 'after'), await world.loseDecision(store, 'before')];
  expect(alarms.isRaised('OrdersUnknown')).toBe(true);
  expect((await world.waitsFor('order-unknown', store)).call).toContain('/orders/resolve');
  const listed = await runbook.run(procedure, 'call "$api/stores/$STORE/orders/unknown"', { STORE: store });
  expect(listed.body.orders.map(({ orderId }: { orderId: string }) => orderId)).toEqual([taken, lost]);
  const named = await runbook.run(procedure, 'connector orders unknown', { STORE: store });
  expect(named.body).toContain(taken);
  const choose = 'connector orders resolve "$ORDER" --store "$STORE" --action decision';
  const REASON = 'seen in the seller panel';
  const ofTaken = { STORE: store, ORDER: taken, REASON };
  expect((await runbook.run(procedure, `${choose}\n`, ofTaken)).body).toContain('--outcome rejected');
  const recorded = await runbook.run(procedure, `${choose} --outcome accepted`, ofTaken);
  expect(recorded.body).toContain('accepted');
  const twice = await runbook.run(procedure, `${choose} --outcome retry`, ofTaken);
  expect(twice.isRefused).toBe(true);
  const resolved = await runbook.run(procedure, 'call "$api/stores/$STORE/orders/resolve"', {
    STORE: store,
    ORDER: taken,
  });
  expect(resolved).toMatchObject({ isRefused: true, body: { error: { code: 'ORDER_NOT_UNKNOWN' } } });
  await until(
    'the retry, once the lost request can land no more',
    async () =>
      !(await runbook.run(procedure, 'call "$api/stores/$STORE/orders/retry"', { STORE: store, ORDER: lost }))
        .isRefused,
    { everyMs: 500 },
  );
  expect((await world.controls.order(lost)).decisions).toHaveLength(1);
  await world.isOver('order-unknown');
});

test('a summary that matches no batch is discarded', async () => {
  const procedure = 'Discard an unmatched summary';
  const summary = { batchId: 'unknown-batch', storeClientId: 'store-0wh', secret: PARTNER_KEY };
  expect(await postSummary(run.local, summary)).toBe(202);
  await world.waitsFor('summary-unmatched', 'store-0wh');
  const listed = await runbook.run(procedure, 'call "$api/summaries/unmatched"');
  expect(listed.body.summaries).toMatchObject([{ batchId: summary.batchId }]);
  expect((await runbook.run(procedure, 'connector webhooks unmatched')).body).toContain(summary.batchId);
  const discarded = await runbook.run(procedure, 'connector webhooks discard', { BATCH: summary.batchId });
  expect(discarded.body).toContain('discarded');
  await runbook.run(procedure, 'call "$api/summaries/$BATCH/discard"', { BATCH: summary.batchId });
  expect(await postSummary(run.local, summary)).toBe(202);
  await run.local.idle();
  await world.isOver('summary-unmatched');
});

describe('a secret that is rotated', () => {
  const secret = () => ({ SECRET_ARN: run.local.outputs.PartnerSecretArn ?? '' });

  test('for webhooks, verifies beside the old one until that is removed', async () => {
    const procedure = 'Rotate a webhook secret';
    const [OLD_SECRET, NEW_SECRET] = ['old-webhook-secret', 'new-webhook-secret'];
    const variables = { ...secret(), PARTNER_KEY, OLD_SECRET, NEW_SECRET };
    await run.partner.putSecret({ partnerSecretKey: PARTNER_KEY, webhookSecrets: [OLD_SECRET] });
    const put = 'aws secretsmanager put-secret-value --secret-id "$SECRET_ARN" --secret-string';
    const body = '"{\\"partnerSecretKey\\": \\"$PARTNER_KEY\\", \\"webhookSecrets\\": [\\"$NEW_SECRET\\"';
    await runbook.run(procedure, `${put} ${body}, `, variables);
    await world.controls.setWebhook(run.local.outputs.WebhookUrl ?? '', { secret: NEW_SECRET });
    expect(await world.importCatalog('store-0wh', lineOf(21))).toMatchObject({ state: 'completed' });
    const isTaken = (by: string) =>
      postSummary(run.local, { batchId: 'none', storeClientId: 'store-0wh', secret: by });
    expect(await isTaken(OLD_SECRET)).toBe(202);
    await runbook.run(procedure, `${put} ${body}]`, variables);
    // Those that run may know the old one for 5 minutes.
    run.local.functions.kill('WebhookReceiver');
    expect([await isTaken(OLD_SECRET), await isTaken(NEW_SECRET)]).toEqual([401, 202]);
  });

  test('for requests, sends what was refused before', async () => {
    const procedure = 'Rotate the partner secret';
    const [OLD_KEY, NEW_KEY] = ['former-key', PARTNER_KEY];
    const store = 'store-0wh';
    await run.partner.putSecret({ partnerSecretKey: OLD_KEY });
    run.local.functions.kill('ListingProducer');
    await world.sendStock(store, 99);
    await until('the refusal of the old key', async () => {
      const { requests } = await world.controls.requests();
      return requests.some(({ errorCode }) => errorCode === 'AUTH_010');
    });
    await until('the alarm', async () => {
      await run.local.triggerSchedule('LaneWaker');
      return alarms.isRaised('PartnerRefused');
    });
    const variables = { ...secret(), OLD_KEY, NEW_KEY };
    const put =
      'aws secretsmanager put-secret-value --secret-id "$SECRET_ARN" --secret-string "{\\"partnerSecretKey\\": \\"$NEW_KEY\\"';
    await runbook.run(procedure, `${put}, `, variables);
    await world.stockArrives(store, 99);
    alarms.nextPeriod();
    await run.local.triggerSchedule('LaneWaker');
    expect(alarms.isRaised('PartnerRefused')).toBe(false);
    await runbook.run(procedure, `${put}}`, variables);
    await world.controls.setWebhook(run.local.outputs.WebhookUrl ?? '');
    expect(await world.importCatalog(store, lineOf(22))).toMatchObject({ state: 'completed' });
  });
});

test('every command of every procedure was run, no function lacked a permission, and nothing waits for a person', async () => {
  expect(runbook.left()).toEqual({});
  expect(run.local.accessDenied).toEqual([]);
  const left = await world.attention();
  expect(left.filter(({ call }) => !call.includes('/summaries/none/'))).toEqual([]);
});
