import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createDocumentDomain, outcomeOf } from '../../../shared/documents/document-domain.ts';
import { documentKey } from '../../../shared/documents/rules/document-key.ts';
import type { OutgoingEvent } from '../../../shared/events/outgoing.ts';
import type { IncomingDocument, SaveDocument } from '../../../shared/marketplace/documents.ts';
import { MarketplaceError, type MarketplaceErrorOptions } from '../../../shared/marketplace/errors.ts';
import type { CallOptions } from '../../../shared/marketplace/options.ts';
import type { Rejection } from '../../../shared/rejections/model.ts';
import { rejectionOfCommand } from '../../../shared/requests/rules/rejection.ts';
import { receiveCommands } from '../../../shared/requests/use-cases/receive-commands.ts';
import { sweepRequests } from '../../../shared/requests/use-cases/sweep.ts';
import type { Store } from '../../../shared/stores/model.ts';
import { viewOrders } from '../../../shared/trace/view-orders.ts';
import { inMemoryDocumentBucket } from '../../doubles/in-memory-document-bucket.ts';
import { inMemoryOrderTable } from '../../doubles/in-memory-order-table.ts';
import { inMemoryRequestArchive } from '../../doubles/in-memory-request-archive.ts';
import { inMemoryLockTable, inMemoryRequestTable } from '../../doubles/in-memory-request-table.ts';

const NOW = Date.parse('2026-11-21T08:00:00.000Z');
/** The facts of the command that `ask` sends. */
const commandFacts = { storeClientId: 's-1', commandId: 'c-1', eventId: 'event-1', time: NOW };
const KEY = 'documents/s-1/o-1/shipping-label.pdf';

type Reply = string | (Partial<MarketplaceErrorOptions> & { code: string }) | Error;

/** The reply of the marketplace to one call: the text of a PDF, or a failure. */
function setUp(replies: Reply[] = [], waitForStateMs = 0) {
  const store: Store = {
    storeClientId: 's-1',
    storeToken: 'token-1',
    state: 'connected',
    names: { products: 'sku', orders: 'orderId' },
    connectedAt: '2026-11-01T00:00:00.000Z',
    updatedAt: '2026-11-01T00:00:00.000Z',
  };
  const rejections: Rejection[] = [];
  const events: OutgoingEvent[] = [];
  const calls: unknown[] = [];
  const pauses: number[] = [];
  const documents = inMemoryDocumentBucket();
  const later: { event: unknown; delayMs: number }[] = [];
  let now = NOW;
  let ids = 0;

  const generate =
    (call: string) =>
    async <Saved>(_: unknown, request: object, save: SaveDocument<Saved>, options: CallOptions = {}) => {
      calls.push({ call, ...request });
      const reply = replies.shift() ?? '%PDF-1.7 label';
      await options.onAttempt?.({ number: 1, signedAt: now });
      if (typeof reply === 'string') return save(pdf(reply));
      if (reply instanceof Error) throw reply;
      throw new MarketplaceError({ message: reply.code, outcome: 'refused', retryable: false, ...reply });
    };

  const ports = {
    stores: {
      get: async (id: string) => (id === store.storeClientId ? store : undefined),
      suspend: async () => {
        store.state = 'suspended';
        return true;
      },
      forgetEvent: async () => {},
    },
    requests: inMemoryRequestTable(),
    archive: inMemoryRequestArchive(),
    locks: inMemoryLockTable(),
    attemptLifetimeMs: 30_000,
    rejections: { putAll: async (some: readonly Rejection[]) => void rejections.push(...some) },
    events: { publish: async (some: readonly OutgoingEvent[]) => void events.push(...some) },
    orders: inMemoryOrderTable(),
    secretKey: { read: async () => 'key' },
    limiter: { stop: async () => {} },
    commandQueue: {
      sendLater: async (body: string, delayMs: number) =>
        void later.push({ event: JSON.parse(body), delayMs }),
    },
    waitForStateMs,
    documents,
    calls: { generateShippingLabel: generate('label'), generateInvoice: generate('invoice') },
    clock: {
      now: () => now,
      sleep: async (ms: number) => {
        pauses.push(ms);
        now += ms;
      },
    },
    newId: () => `attempt-${++ids}`,
    random: () => 1,
  };
  /** Delivers a command once, and returns how it ended. */
  const ask = async (detail: object = {}) => {
    const message = {
      id: 'event-1',
      'detail-type': 'order.document.requested',
      detail: {
        storeClientId: 's-1',
        commandId: 'c-1',
        orderId: 'o-1',
        document: 'shipping-label',
        ...detail,
      },
    };
    const messages = [{ messageId: 'm-1', sentAt: NOW, body: JSON.stringify(message) }];
    const received = await receiveCommands(ports, createDocumentDomain(ports), messages);
    if (received.failures[0]) throw received.failures[0].error;
    const [deferral] = received.deferred;
    if (deferral !== undefined) return { state: 'waiting', code: deferral.code };
    if (received.rejected > 0) return { state: 'rejected', code: rejections.at(-1)?.code };
    const [request] = received.requests;
    if (request === undefined || request.appliedAt !== undefined) return { state: 'done before' };
    const outcome = outcomeOf(request) ?? { failure: { code: 'UNKNOWN' } };
    return 'stored' in outcome
      ? { state: 'stored', key: outcome.stored.key }
      : { state: 'failed', code: outcome.failure.code };
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return {
    ask,
    store,
    pass,
    later,
    ports,
    rejections,
    events,
    calls,
    pauses,
    documents: documents.documents,
  };
}

function pdf(text: string): IncomingDocument {
  const body = Readable.from([Buffer.from(text)]);
  return { body, contentType: 'application/pdf', fileName: 'label.pdf', requestId: 'r-1' };
}

describe('a document command', () => {
  test('ends as a stored document and an event with its location', async () => {
    const { ask, documents, events } = setUp();
    expect(await ask()).toEqual({ state: 'stored', key: KEY });
    expect(documents.get(KEY)?.bytes).toEqual(Buffer.from('%PDF-1.7 label'));
    expect(events).toEqual([
      {
        detailType: 'document.stored',
        detail: {
          storeClientId: 's-1',
          commandId: 'c-1',
          orderId: 'o-1',
          document: 'shipping-label',
          bucket: 'documents',
          key: KEY,
          size: 14,
          sha256: createHash('sha256').update('%PDF-1.7 label').digest('hex'),
          requestId: 'r-1',
        },
      },
    ]);
  });

  test('requests the kind of document that it names', async () => {
    const { ask, calls } = setUp();
    await ask({ includeItems: true });
    await ask({ document: 'invoice', commandId: 'c-2' });
    expect(calls).toEqual([
      { call: 'label', orderId: 'o-1', includeItems: true },
      { call: 'invoice', orderId: 'o-1' },
    ]);
  });

  test('gets a label with its items if the stored one is without', async () => {
    const { ask, calls, documents } = setUp(['%PDF-1.7 plain', '%PDF-1.7 with items', '%PDF-1.7 without']);
    await ask({ commandId: 'c-1' });
    await ask({ commandId: 'c-2', includeItems: true });
    await ask({ commandId: 'c-3', includeItems: true });
    await ask({ commandId: 'c-4' });
    expect(documents.get(KEY)?.bytes).toEqual(Buffer.from('%PDF-1.7 with items'));
    await ask({ commandId: 'c-5', includeItems: false });
    expect(documents.get(KEY)?.bytes).toEqual(Buffer.from('%PDF-1.7 without'));
    expect(calls).toHaveLength(3);
  });

  test('has no second effect when it is redelivered', async () => {
    const { ask, calls, events } = setUp();
    await ask();
    expect(await ask()).toMatchObject({ state: 'done before' });
    expect(calls).toHaveLength(1);
    expect(events).toHaveLength(1);
  });

  test('that failed is announced by the next delivery after a crash, and not tried again', async () => {
    const context = { orderId: 'o-1', allowedSubstatuses: ['confirmed'] };
    const refusal = { code: 'ORDER_021', requestId: 'r-21', context };
    const { ask, ports, pass, calls, events, rejections } = setUp([refusal]);
    const { publish } = ports.events;
    ports.events.publish = async () => {
      throw new Error('killed');
    };
    await expect(ask()).rejects.toThrow('killed');
    ports.events.publish = publish;
    pass(90_000);
    expect(await ask()).toMatchObject({ state: 'failed', code: 'ORDER_021' });
    expect(await ask()).toMatchObject({ state: 'done before' });
    expect(calls).toHaveLength(1);
    expect(events).toMatchObject([{ detailType: 'document.failed', detail: { requestId: 'r-21', context } }]);
    expect(rejections).toMatchObject([{ details: { context } }, { details: { context } }]);
    expect(new Set(rejections.map(({ rejectionId }) => rejectionId)).size).toBe(1);
  });

  test('that failed publishes at most the allowed length of the message and context', async () => {
    const long = 'x'.repeat(500_000);
    const context = { operation: long, allowedSubstatuses: ['confirmed'] };
    const { ask, events, rejections } = setUp([{ code: 'ORDER_021', message: long, context }]);
    await ask();
    const message = 'x'.repeat(300);
    const kept = { allowedSubstatuses: ['confirmed'], isCut: true };
    expect(events).toMatchObject([{ detailType: 'document.failed', detail: { message } }]);
    expect(events[0]?.detail).toHaveProperty('context', kept);
    expect(rejections).toMatchObject([{ message, details: { context: kept } }]);
  });

  test('has a rejection separate from those of other commands with the same ID', async () => {
    const { ask, rejections } = setUp([{ code: 'ORDER_021' }]);
    await ask();
    const { rejectionId } = rejectionOfCommand(
      { ...commandFacts, detailType: 'order.decision.requested' },
      { code: 'STORE_UNKNOWN', message: 'not connected' },
    );
    expect(rejections).toMatchObject([{ commandId: commandFacts.commandId }]);
    expect(rejections.map((rejection) => rejection.rejectionId)).not.toContain(rejectionId);
  });

  test('waits while another delivery of it runs, and continues once that has ended', async () => {
    const { ask, ports, pass, calls, later } = setUp();
    const { find } = ports.documents;
    ports.documents.find = () => new Promise(() => {});
    void ask();
    await new Promise(setImmediate);
    ports.documents.find = find;
    expect(await ask()).toMatchObject({ state: 'waiting', code: 'DOCUMENT_BUSY' });
    expect(calls).toEqual([]);
    expect(later).toMatchObject([{ event: { id: 'event-1' } }]);
    pass(90_000);
    expect(await ask()).toMatchObject({ state: 'stored' });
  });

  test('for a stored document is answered with its location, without a call', async () => {
    const { ask, calls, events } = setUp();
    await ask();
    await ask({ commandId: 'c-2' });
    expect(calls).toHaveLength(1);
    expect(events[1]?.detail).toMatchObject({ commandId: 'c-2', key: KEY });
  });

  test('with refresh replaces the stored document', async () => {
    const { ask, documents } = setUp(['%PDF-old', '%PDF-new']);
    await ask();
    await ask({ commandId: 'c-2', refresh: true });
    expect(documents.get(KEY)).toMatchObject({ bytes: Buffer.from('%PDF-new'), commandId: 'c-2' });
  });

  test('with refresh that fails leaves the stored document, and the order says so', async () => {
    const { ask, documents, ports } = setUp(['%PDF-old', { code: 'ORDER_001', status: 404 }]);
    await ask();
    const stored = (await ports.orders.get('s-1', 'orderId:o-1'))?.documents?.['shipping-label'];
    expect(stored).toMatchObject({ state: 'stored', key: KEY });
    expect(await ask({ commandId: 'c-2', refresh: true })).toMatchObject({ state: 'failed' });
    expect(documents.get(KEY)).toMatchObject({ bytes: Buffer.from('%PDF-old') });
    const failed = (await ports.orders.get('s-1', 'orderId:o-1'))?.documents?.['shipping-label'];
    const { key, sha256 } = stored ?? {};
    expect(failed).toMatchObject({ state: 'failed', commandId: 'c-2', code: 'ORDER_001', key, sha256 });
  });

  test('with refresh does not fetch again after a crash that followed the storing', async () => {
    const { ask, ports, pass, calls, events } = setUp();
    const failure = new Error('bus down');
    const { publish } = ports.events;
    ports.events.publish = () => Promise.reject(failure);
    await expect(ask({ refresh: true })).rejects.toBe(failure);
    ports.events.publish = publish;
    pass(90_000);
    expect(await ask({ refresh: true })).toMatchObject({ state: 'stored' });
    expect(calls).toHaveLength(1);
    expect(events).toHaveLength(1);
  });
});

describe('two commands for one document at the same time', () => {
  /** Sends both commands: the first is at the marketplace when the second arrives. */
  async function askTwice({ ask, ports }: ReturnType<typeof setUp>, second: object) {
    const atMarketplace = Promise.withResolvers<void>();
    const { generateShippingLabel } = ports.calls;
    ports.calls.generateShippingLabel = async (...request) => {
      await atMarketplace.promise;
      return generateShippingLabel(...request);
    };
    const first = ask();
    const other = await ask({ commandId: 'c-2', ...second });
    atMarketplace.resolve();
    return [await first, other];
  }

  test('fetch it once: the second waits and finds it', async () => {
    const stack = setUp();
    const [first, other] = await askTwice(stack, {});
    expect(first).toMatchObject({ state: 'stored', key: KEY });
    expect(other).toMatchObject({ state: 'waiting', code: 'DOCUMENT_BUSY' });
    expect(stack.later).toMatchObject([{ event: { id: 'event-1', detail: { commandId: 'c-2' } } }]);
    expect(await stack.ask({ commandId: 'c-2' })).toMatchObject({ state: 'stored', key: KEY });
    expect(stack.calls).toHaveLength(1);
    expect(stack.events.map(({ detail }) => 'commandId' in detail && detail.commandId)).toEqual([
      'c-1',
      'c-2',
    ]);
  });

  test('fetch it one after the other when the second wants a refresh', async () => {
    const stack = setUp(['%PDF-old', '%PDF-new']);
    const [, other] = await askTwice(stack, { refresh: true });
    expect(other).toMatchObject({ state: 'waiting' });
    expect(await stack.ask({ commandId: 'c-2', refresh: true })).toMatchObject({ state: 'stored' });
    expect(stack.documents.get(KEY)).toMatchObject({ bytes: Buffer.from('%PDF-new'), commandId: 'c-2' });
  });
});

describe('a document command that the marketplace refuses', () => {
  test.each(['ORDER_021', 'ORDER_001', 'VAL_001'])(
    'finally with %s is reported and recorded once',
    async (code) => {
      const { ask, events, rejections, calls, documents } = setUp([{ code, requestId: 'r-9' }]);
      expect(await ask()).toMatchObject({ state: 'failed', code });
      expect(await ask()).toMatchObject({ state: 'done before' });
      expect(events).toEqual([
        {
          detailType: 'document.failed',
          detail: expect.objectContaining({ code, requestId: 'r-9', commandId: 'c-1' }),
        },
      ]);
      expect(rejections).toEqual([expect.objectContaining({ code, commandId: 'c-1', storeClientId: 's-1' })]);
      expect(calls).toHaveLength(1);
      expect(documents.size).toBe(0);
    },
  );

  test('with something that is not a PDF is tried again, and fails after three tries', async () => {
    const notPdf: Reply = { code: 'DOCUMENT_NOT_PDF', outcome: 'unknown' };
    const once = setUp([notPdf]);
    expect(await once.ask()).toMatchObject({ state: 'stored' });
    const always = setUp(Array.from({ length: 9 }, () => notPdf));
    expect(await always.ask()).toMatchObject({ state: 'failed', code: 'DOCUMENT_NOT_PDF' });
    expect(always.calls).toHaveLength(3);
    expect(always.documents.size).toBe(0);
  });

  test('with something that is not a PDF is tried again after other failures too', async () => {
    const busy: Reply = { code: 'LIMIT_REACHED', outcome: 'not-sent', retryable: true };
    const { ask, calls } = setUp([busy, busy, { code: 'DOCUMENT_EMPTY', outcome: 'unknown' }]);
    expect(await ask()).toMatchObject({ state: 'stored' });
    expect(calls).toHaveLength(4);
  });

  test('temporarily is tried again, then left to a later delivery', async () => {
    const busy: Reply = { code: 'SYS_DEP_503', retryable: true };
    const { ask, pauses, events } = setUp(Array.from({ length: 5 }, () => busy));
    expect(await ask()).toMatchObject({ state: 'waiting', code: 'SYS_DEP_503' });
    expect(pauses).toEqual([1000, 2000, 4000, 8000]);
    expect(events).toEqual([]);
    expect(await ask()).toMatchObject({ state: 'stored' });
  });

  test('with a wait that is longer than the function runs is left to a later delivery at once', async () => {
    const { ask, pauses } = setUp([{ code: 'RATE_LIMITED', retryable: true, retryAfterMs: 60_000 }]);
    expect(await ask()).toMatchObject({ state: 'waiting', code: 'RATE_LIMITED' });
    expect(pauses).toEqual([]);
  });

  test('by HTTP_404, which does not concern the order, is not reported as failed', async () => {
    const { ask, events } = setUp([{ code: 'HTTP_404' }]);
    await expect(ask()).rejects.toMatchObject({ code: 'HTTP_404' });
    expect(events).toEqual([]);
  });

  test.each(['AUTH_010', 'AUTH_011'])(
    "by %s, which concerns the partner's credentials, waits",
    async (code) => {
      const { ask, events } = setUp([{ code }]);
      expect(await ask()).toMatchObject({ state: 'waiting', code });
      expect(events).toEqual([]);
    },
  );

  test('by AUTH_014 suspends the store, and waits', async () => {
    const { ask, events, calls } = setUp([{ code: 'AUTH_014' }]);
    expect(await ask()).toMatchObject({ state: 'waiting', code: 'STORE_NOT_CONNECTED' });
    expect(await ask()).toMatchObject({ state: 'waiting', code: 'STORE_NOT_CONNECTED' });
    expect(calls).toHaveLength(1);
    expect(events).toEqual([expect.objectContaining({ detailType: 'store.suspended' })]);
  });
});

describe('an invalid document command', () => {
  test.each([
    [{ document: 'photo' }, 'EVENT_INVALID', 'rejected'],
    [{ orderId: undefined }, 'EVENT_INVALID', 'rejected'],
    [{ storeClientId: 's-9' }, 'STORE_UNKNOWN', 'rejected'],
  ])('with %j is refused with %s', async (detail, code, state) => {
    const { ask, calls, rejections, documents } = setUp();
    expect(await ask(detail)).toMatchObject({ state, code });
    expect(rejections).toEqual([expect.objectContaining({ code, eventId: 'event-1' })]);
    expect(calls).toEqual([]);
    expect(documents.size).toBe(0);
  });
});

describe('a document whose order is not ready', () => {
  const notYet: Reply = { code: 'ORDER_021', status: 409 };

  test('fails at once when no wait is allowed', async () => {
    const { ask, later } = setUp([notYet]);
    expect(await ask()).toMatchObject({ state: 'failed', code: 'ORDER_021' });
    expect(later).toEqual([]);
  });

  test('is requested again at growing intervals until the order is ready', async () => {
    const { ask, pass, later, events } = setUp([notYet, notYet], 3_600_000);
    expect(await ask()).toMatchObject({ state: 'waiting' });
    pass(40_000);
    expect(await ask()).toMatchObject({ state: 'waiting' });
    expect(later.map(({ delayMs }) => delayMs)).toEqual([15_000, 40_000]);
    expect(later[0]?.event).toMatchObject({
      id: 'event-1',
      time: new Date(NOW).toISOString(),
      detail: { commandId: 'c-1', orderId: 'o-1', document: 'shipping-label' },
    });
    expect(events).toEqual([]);
    pass(40_000);
    expect(await ask()).toMatchObject({ state: 'stored' });
  });

  test('is requested for the last time at its deadline, and then fails', async () => {
    const { ask, pass, later } = setUp([notYet, notYet], 50_000);
    pass(45_000);
    expect(await ask()).toMatchObject({ state: 'waiting' });
    expect(later[0]?.delayMs).toBe(5_000);
    pass(5_000);
    expect(await ask()).toMatchObject({ state: 'failed', code: 'ORDER_021' });
  });

  describe('with another document that waits too', () => {
    const label = { commandId: 'label' };
    const invoice = { commandId: 'invoice', document: 'invoice' };
    const waitsOf = async ({ ports }: Pick<ReturnType<typeof setUp>, 'ports'>) => {
      const order = (await ports.orders.get('s-1', 'orderId:o-1')) ?? expect.unreachable();
      return (await viewOrders(ports, [order])).flatMap(({ waits = [] }) => waits);
    };

    test('is shown with it, and alone once the other one is stored', async () => {
      const { ask, pass, ports } = setUp([notYet, notYet, '%PDF-1.7 invoice'], 3_600_000);
      await ask(label);
      await ask(invoice);
      expect(await waitsOf({ ports })).toMatchObject([
        { commandId: 'label', document: 'shipping-label' },
        { commandId: 'invoice', document: 'invoice' },
      ]);
      pass(20_000);
      expect(await ask(invoice)).toMatchObject({ state: 'stored' });
      expect(await waitsOf({ ports })).toMatchObject([{ commandId: 'label', document: 'shipping-label' }]);
    });

    test('is shown alone if a later command for it waits', async () => {
      const { ask, ports } = setUp([notYet, notYet], 3_600_000);
      await ask(label);
      await ask({ commandId: 'later' });
      expect(await waitsOf({ ports })).toMatchObject([{ commandId: 'later', document: 'shipping-label' }]);
    });

    test('is shown if the other one was noted by an earlier version', async () => {
      const { ask, ports } = setUp([notYet, notYet], 3_600_000);
      await ask(label);
      await ports.orders.update('s-1', 'orderId:o-1', (order) => {
        const waited = order?.waited?.map(({ document: _, ...one }) => one);
        return order && { ...order, ...(waited && { waited }) };
      });
      await ask(invoice);
      expect((await waitsOf({ ports })).map(({ commandId, document }) => [commandId, document])).toEqual([
        ['label', undefined],
        ['invoice', 'invoice'],
      ]);
    });
  });

  test('does not wait after any other refusal', async () => {
    const { ask } = setUp([{ code: 'ORDER_001', status: 404 }], 50_000);
    expect(await ask()).toMatchObject({ state: 'failed', code: 'ORDER_001' });
  });
});

describe('a document command that is not begun', () => {
  test.each([
    ['its store is unknown', { storeClientId: 's-9' }, {}, 'STORE_UNKNOWN'],
    ['its order ID is not valid', { orderId: '../../s-2/o-1' }, {}, 'ORDER_ID_INVALID'],
    ['it was discarded', {}, { discardedAt: new Date(NOW).toISOString() }, 'COMMAND_DISCARDED'],
  ])('is reported as failed because %s', async (_, detail, ofStore, code) => {
    const { ask, store, events, rejections, calls } = setUp();
    Object.assign(store, ofStore);
    expect(await ask(detail)).toEqual({ state: 'rejected', code });
    expect(events).toMatchObject([{ detailType: 'document.failed', detail: { code, commandId: 'c-1' } }]);
    expect(rejections).toHaveLength(1);
    expect(await ask(detail)).toEqual({ state: 'done before' });
    expect(calls).toEqual([]);
  });
});

test.each(['shop:7', 'a/../b', '..', 'läden', 'x'.repeat(200)])(
  'documents of a store whose ID is %j are stored',
  async (storeClientId) => {
    const { ask, store, documents } = setUp();
    store.storeClientId = storeClientId;
    expect(await ask({ storeClientId })).toMatchObject({ state: 'stored' });
    expect([...documents.keys()]).toEqual([
      documentKey({ storeClientId, orderId: 'o-1', document: 'shipping-label' }),
    ]);
  },
);

describe('a document command that is no longer redelivered', () => {
  /** The sender is killed before it stores the answer, and the sweeper runs. */
  async function abandon(stack: ReturnType<typeof setUp>, detail: object = {}) {
    const { ask, ports, pass } = stack;
    const { update } = ports.requests;
    ports.requests.update = (recordId, change) =>
      update(recordId, (current) => {
        const next = change(current);
        if (next?.state === 'answered') throw new Error('killed');
        return next;
      });
    await expect(ask(detail)).rejects.toThrow('killed');
    ports.requests.update = update;
    pass(2 * 3_600_000);
    const failures: unknown[] = [];
    const options = {
      signal: new AbortController().signal,
      onFailure: (error: unknown) => failures.push(error),
    };
    expect(await sweepRequests({ ...ports, domainOf: () => createDocumentDomain(ports) }, options)).toBe(1);
    expect(failures).toEqual([]);
  }

  test('is reported as stored when its document exists', async () => {
    const stack = setUp();
    await abandon(stack);
    expect(stack.events).toMatchObject([{ detailType: 'document.stored', detail: { key: KEY } }]);
  });

  test.each([
    ['stored when another command has stored its document', {}, 'document.stored'],
    [
      'failed when it asks for a newer document than another command has stored',
      { refresh: true },
      'document.failed',
    ],
  ])('is reported as %s', async (_, detail, detailType) => {
    const stack = setUp();
    const { put } = stack.ports.documents;
    stack.ports.documents.put = (key, document) => put(key, document, 'c-2');
    await abandon(stack, detail);
    expect(stack.events).toMatchObject([{ detailType }]);
  });

  test('is reported as failed when its document is missing', async () => {
    const stack = setUp();
    const { put } = stack.ports.documents;
    stack.ports.documents.put = async (key, document, commandId) => {
      const stored = await put(key, document, commandId);
      stack.documents.delete(key);
      return stored;
    };
    await abandon(stack);
    expect(stack.events).toMatchObject([
      { detailType: 'document.failed', detail: { code: 'REQUEST_ABANDONED' } },
    ]);
  });
});
