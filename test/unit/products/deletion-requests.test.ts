import { describe, expect, test } from 'vitest';
import { externalIdOf } from '../../../local/run/catalog.ts';
import { fail } from '../support/failure.ts';
import { type Reply, setUpBulk } from './bulk-setup.ts';
import { cut, LIFETIME_MS, NOW } from './update-setup.ts';

const ids = [externalIdOf(1), externalIdOf(2)];
const missing = { code: 'PRD_014', message: 'not found', rowIndex: 1, id: ids[1] };
const answer =
  (errors: readonly object[] = [], failed = errors.length): Reply =>
  (rows) => ({
    success: true,
    requestId: 'r',
    data: {
      summary: { total: rows.length, succeeded: rows.length - failed, failed },
      successItems: [],
      errors,
    },
  });

describe('a deletion', () => {
  test('rejects invalid IDs and products that the marketplace does not find, once', async () => {
    const { give, deletion, sent, rejected, batches } = setUpBulk([answer([missing])]);
    const command = deletion([ids[0], 'x', ids[1], null, { id: ids[0] }]);
    await give(command);
    await give(command);
    expect(sent).toEqual([{ call: 'deleteProducts', rows: ids }]);
    expect(rejected().map(({ code, rowIndex, id, field }) => [code, rowIndex, id, field])).toEqual([
      ['ROW_INVALID', 1, 'x', 'detail.ids.1'],
      ['ROW_INVALID', 3, undefined, 'detail.ids.3'],
      ['ROW_INVALID', 4, undefined, 'detail.ids.4'],
      ['PRD_014', 2, ids[1], 'detail.ids.2'],
    ]);
    expect(batches()).toEqual([]);
  });

  test('sends a product once that its command names twice, the second time in another case', async () => {
    const id = 'aaaaaaaa-0000-4000-8000-00000000000a';
    const { give, deletion, sent, rejected } = setUpBulk([answer()]);
    await give(deletion([id, ids[0], id.toUpperCase(), id]));
    expect([sent, rejected()]).toEqual([[{ call: 'deleteProducts', rows: [id, ids[0]] }], []]);
  });

  test('takes as few requests as possible for many products', async () => {
    const { give, deletion, sent, settings } = setUpBulk([answer(), answer()]);
    settings.itemsPerRequest = 3;
    await give(deletion([1, 2, 3, 4, 5].map(externalIdOf)));
    expect(sent.map(({ rows }) => rows.length)).toEqual([3, 2]);
  });

  test('counts missing products as done after a try of unknown outcome', async () => {
    const { give, deletion, rejected, batches } = setUpBulk([cut, answer([missing])]);
    await give(deletion(ids));
    expect([rejected(), batches()]).toEqual([[], []]);
  });

  test('reads a product back that is refused for now after a try of unknown outcome, which may have deleted it', async () => {
    const busy = { ...missing, code: 'SYS_DEP_503', details: { retryable: true } };
    const { give, deletion, rejected, batches } = setUpBulk([cut, answer([busy])]);
    await give(deletion(ids));
    expect(rejected()).toEqual([]);
    expect(batches()).toMatchObject([{ state: 'submitted', rows: { accepted: 1, rejected: 0, unknown: 1 } }]);
  });

  test('reads a product back whose upstream answered too late: it may be deleted all the same', async () => {
    const late = { ...missing, code: 'SYS_UPS_001' };
    const { give, deletion, rejected, batches } = setUpBulk([answer([late])]);
    await give(deletion(ids));
    expect(rejected()).toEqual([]);
    expect(batches()).toMatchObject([{ state: 'submitted', rows: { accepted: 1, rejected: 0, unknown: 1 } }]);
  });

  test('reads products back that the answer does not settle', async () => {
    const { give, deletion, rejected, batches } = setUpBulk([answer([], 1)]);
    await give(deletion(ids));
    expect(rejected()).toEqual([]);
    expect(batches()).toMatchObject([{ kind: 'product-deletion', state: 'submitted', rows: { unknown: 2 } }]);
  });

  test.each<[string, object]>([
    ['a failure without a row stands beside the data', { errors: [{ code: 'X' }], data: {} }],
    ['failures are counted beside the data', { summary: { failed: 1 }, data: {} }],
    ['its data denies success', { data: { success: false } }],
    ['an error without a code stands beside the data', { error: { message: 'no' }, data: {} }],
    ['the answer has no data', {}],
    ['the answer has nothing in its data', { data: {} }],
  ])('reads products back when %s', async (_, rest) => {
    const { give, deletion, batches } = setUpBulk([() => ({ success: true, ...rest })]);
    await give(deletion(ids));
    expect(batches()).toMatchObject([{ kind: 'product-deletion', state: 'submitted', rows: { unknown: 2 } }]);
  });

  test('is read back only when no try of it may land any more', async () => {
    const { give, deletion, batches } = setUpBulk([cut, fail({ code: 'VAL_001' })]);
    await give(deletion(ids.slice(0, 1)));
    const deadlineAt = new Date(NOW + LIFETIME_MS).toISOString();
    expect(batches()).toMatchObject([{ state: 'submitted', rows: { unknown: 1 }, deadlineAt }]);
  });

  test('that is refused as a whole is sent in halves, and rejects the invalid one', async () => {
    const { give, deletion, sent, rejected } = setUpBulk([
      fail({ code: 'VAL_001' }),
      fail({ code: 'VAL_001' }),
      answer(),
    ]);
    await give(deletion(ids));
    expect(sent.map(({ rows }) => rows)).toEqual([ids, [ids[0]], [ids[1]]]);
    expect(rejected()).toMatchObject([{ code: 'VAL_001', id: ids[0] }]);
  });

  test('whose outcome stays unknown is read back', async () => {
    const { give, deletion, sweep, time, batches } = setUpBulk(Array.from({ length: 6 }, () => cut));
    await give(deletion(ids));
    time.now += 2 * 3_600_000;
    await sweep();
    expect(batches()).toMatchObject([{ kind: 'product-deletion', state: 'submitted', rows: { unknown: 2 } }]);
  });
});
