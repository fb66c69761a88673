import { billOf, type CostRow, MILLION } from './row.ts';

const STORE = 'store-1wh';
const ORDERS = 100;

export const orderRows: readonly CostRow[] = [
  {
    title: 'order decisions, one to an event',
    per: 'million',
    measure: async (stage) => {
      const { controls, partner } = stage.run;
      if (controls === undefined) throw new Error('the marketplace is no sandbox');
      const orders = await Promise.all(
        Array.from({ length: ORDERS }, () =>
          controls.createOrder({ storeClientId: STORE, subStatus: 'pending' }),
        ),
      );
      return billOf(stage, MILLION / ORDERS, async () => {
        await partner.putEvents(
          orders.map(({ orderId }) => ({
            detailType: 'order.decision.requested',
            detail: { storeClientId: STORE, items: [{ orderId, decision: 'accept' }] },
          })),
        );
        await stage.drain('OrderCommands');
      });
    },
  },
];
