import { describe, expect, test } from 'vitest';
import { performProductCommand } from '../../../../shared/products/use-cases/perform-product-command.ts';
import { fail } from '../../support/failure.ts';
import { connectedStore, NOW, productPorts, type Reply } from '../product-ports.ts';

const id = '6f1b8c52-6d0e-4a3b-9f6e-2d1f0c9b8a77';
const cutAlways = Array.from({ length: 6 }, () =>
  fail({ code: 'CONNECTION_CUT', outcome: 'unknown', retryable: true }),
);
const answers: Record<string, Reply> = {
  'product.update.requested': () => ({ data: { id, updatedFields: ['name'] } }),
  'product.delete.requested': () => ({ data: { successItems: [{ id }], errors: [] } }),
};

function setUp(detailType: string, replies: readonly Reply[]) {
  const { ports, seen } = productPorts([...replies]);
  const detail = { storeClientId: 's-1', productId: id, changes: { name: 'New' }, ids: [id] };
  const body = JSON.stringify({ id: 'event-1', 'detail-type': detailType, detail });
  const deliver = () => performProductCommand(ports, { messageId: 'message-1', sentAt: NOW, body });
  const discard = () =>
    seen.stores.set('s-1', { ...connectedStore('s-1'), discardedAt: new Date(NOW).toISOString() });
  return { deliver, discard, seen };
}

describe.each(Object.keys(answers))('a %s that is discarded', (detailType) => {
  test('before anything of it was sent is rejected, once', async () => {
    const { deliver, discard, seen } = setUp(detailType, []);
    discard();
    expect(await deliver()).toMatchObject({ requests: 0, rejected: 1 });
    await deliver();
    expect(seen.sent).toEqual([]);
    expect(seen.rejections.map(({ code, id: named }) => [code, named])).toEqual([['COMMAND_DISCARDED', id]]);
  });

  test('after it was done is not rejected', async () => {
    const { deliver, discard, seen } = setUp(detailType, [answers[detailType] ?? expect.unreachable()]);
    await deliver();
    discard();
    expect(await deliver()).toMatchObject({ requests: 0, rejected: 0 });
    expect(seen.rejections).toEqual([]);
  });

  test('while nobody knows whether it was done is left to be read back', async () => {
    const { deliver, discard, seen } = setUp(detailType, cutAlways);
    expect(await deliver()).toMatchObject({ putOff: 'CONNECTION_CUT' });
    discard();
    expect(await deliver()).toMatchObject({ requests: 0, rejected: 0 });
    expect(seen.rejections).toEqual([]);
  });
});
