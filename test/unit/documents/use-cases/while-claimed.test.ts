import { describe, expect, test } from 'vitest';
import { FETCHER_LIFETIME_MS } from '../../../../shared/documents/rules/claim.ts';
import { whileClaimed } from '../../../../shared/documents/use-cases/while-claimed.ts';
import { MarketplaceError } from '../../../../shared/marketplace/errors.ts';
import { inMemoryDocumentClaimTable } from '../../../doubles/in-memory-document-claim-table.ts';

const name = {
  storeClientId: 's-1',
  orderId: '6f1b8c52-6d0e-4a3b-9f6e-2d1f0c9b8a77',
  document: 'invoice',
} as const;
const refusal = new MarketplaceError({
  code: 'ORDER_021',
  message: 'not yet',
  outcome: 'refused',
  retryable: false,
});

function setUp() {
  let now = 0;
  let ids = 0;
  const ports = {
    documentClaims: inMemoryDocumentClaimTable(),
    clock: { now: () => now },
    newId: () => `id-${++ids}`,
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { ports, pass };
}

/** Work that goes on until the test ends it. */
function openWork() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  return { work: () => promise, resolve, reject };
}

const atOnce = async () => 'done';

describe('a document that is being fetched', () => {
  test('is busy to everybody else until that has done', async () => {
    const { ports } = setUp();
    const { work, resolve } = openWork();
    const first = whileClaimed(ports, name, work);
    await expect(whileClaimed(ports, name, atOnce)).rejects.toMatchObject({
      code: 'DOCUMENT_BUSY',
      retryable: true,
    });
    resolve('first');
    expect(await first).toBe('first');
    expect(await whileClaimed(ports, name, atOnce)).toBe('done');
  });

  test('is busy by any case of its order’s ID', async () => {
    const { ports } = setUp();
    void whileClaimed(ports, name, openWork().work);
    const other = whileClaimed(ports, { ...name, orderId: name.orderId.toUpperCase() }, atOnce);
    await expect(other).rejects.toMatchObject({ code: 'DOCUMENT_BUSY' });
  });

  test.each([{ storeClientId: 's-2' }, { orderId: 'o-2' }, { document: 'shipping-label' } as const])(
    'keeps %j free',
    async (other) => {
      const { ports } = setUp();
      void whileClaimed(ports, name, openWork().work);
      expect(await whileClaimed(ports, { ...name, ...other }, atOnce)).toBe('done');
    },
  );
});

describe('the claim of a document', () => {
  test('is given back after a refusal', async () => {
    const { ports } = setUp();
    await expect(whileClaimed(ports, name, () => Promise.reject(refusal))).rejects.toBe(refusal);
    expect(await whileClaimed(ports, name, atOnce)).toBe('done');
  });

  test('runs out after a failure that may leave a document on its way into the bucket', async () => {
    const { ports, pass } = setUp();
    const failure = new Error('S3 does not answer');
    await expect(whileClaimed(ports, name, () => Promise.reject(failure))).rejects.toBe(failure);
    pass(FETCHER_LIFETIME_MS - 1);
    await expect(whileClaimed(ports, name, atOnce)).rejects.toMatchObject({ code: 'DOCUMENT_BUSY' });
    pass(1);
    expect(await whileClaimed(ports, name, atOnce)).toBe('done');
  });

  test('that ran out and is another’s stays with that one', async () => {
    const { ports, pass } = setUp();
    const late = openWork();
    const first = whileClaimed(ports, name, late.work);
    await new Promise(setImmediate);
    pass(FETCHER_LIFETIME_MS);
    void whileClaimed(ports, name, openWork().work);
    await new Promise(setImmediate);
    late.resolve('late');
    await first;
    await expect(whileClaimed(ports, name, atOnce)).rejects.toMatchObject({ code: 'DOCUMENT_BUSY' });
  });

  test('that can not be given back does not lose the document', async () => {
    const { ports } = setUp();
    const { update } = ports.documentClaims;
    const work = async () => {
      ports.documentClaims.update = () => Promise.reject(new Error('the table does not answer'));
      return 'kept';
    };
    expect(await whileClaimed(ports, name, work)).toBe('kept');
    ports.documentClaims.update = update;
    await expect(whileClaimed(ports, name, atOnce)).rejects.toMatchObject({ code: 'DOCUMENT_BUSY' });
  });
});
