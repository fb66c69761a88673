import { expect, it } from 'vitest';
import { answer, clientAnswering, refusal, STORE } from './fake-transport.ts';

it('gives the permit that its caller took back before a correction takes another', async () => {
  const events: string[] = [];
  const permitNamed = (name: string) => ({
    release: async ({ code = 'none' }: { code?: string }) => {
      events.push(`${name} given back: ${code}`);
    },
  });
  const permits = {
    acquire: async () => {
      events.push('second taken');
      return permitNamed('second');
    },
  };
  const { client } = clientAnswering([refusal(401, 'AUTH_010'), answer(200, { success: true })], { permits });
  const items = [{ sku: 'A', stock: 5 }];
  await client.updateStocks(STORE, { items }, { permit: permitNamed('first') });
  expect(events).toEqual(['first given back: AUTH_010', 'second taken', 'second given back: none']);
});
