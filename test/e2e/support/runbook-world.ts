import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect } from 'vitest';
import { simpleProduct, skuOf } from '../../../local/run/catalog.ts';
import type { ConnectorRun } from '../../../local/run/connector-run.ts';
import { until } from '../../../local/run/until.ts';
import type { Attention, AttentionKind } from '../../../shared/attention/model.ts';
import { hastyTemplate } from '../../../tools/chaos/hasty-template.ts';
import type { Allowed } from '../../../tools/chaos/rate.ts';
import { setAttribute } from './set-attribute.ts';

/** Longer than a busy machine takes for one. */
const SUMMARY_SECONDS = 10;

/** A final summary that can't be processed is a dead letter within seconds; the sweeper and the verifier have the time that they keep back. */
export async function impatientTemplate(allowed?: Allowed) {
  const template = await hastyTemplate(allowed);
  for (const [id, { Type, Properties = {} }] of Object.entries(template.Resources)) {
    if (Type === 'AWS::Lambda::Function' && id.startsWith('SummaryProcessor'))
      Properties.Timeout = SUMMARY_SECONDS;
    if (Type === 'AWS::Lambda::Function' && id.startsWith('BatchSweeper')) Properties.Timeout = 60;
    if (Type === 'AWS::Lambda::Function' && id.startsWith('ListingVerifier')) Properties.Timeout = 200;
    if (Type === 'AWS::SQS::Queue' && id.startsWith('QueuesSummariesQueue')) {
      const redrive = Properties.RedrivePolicy as object;
      Object.assign(Properties, {
        VisibilityTimeout: SUMMARY_SECONDS,
        RedrivePolicy: { ...redrive, maxReceiveCount: 1 },
      });
    }
  }
  return template;
}

/** What the tests of the runbook look at and do in a running stack with its sandbox. */
export function runbookWorld(run: ConnectorRun) {
  const { partner, controls } = run;
  if (controls === undefined) throw new Error('the marketplace is no sandbox');
  const get = async (path: string) => (await partner.callApi('GET', path)).body;
  const attention = async (): Promise<Attention[]> => (await get('/attention')).attention;
  const batchesOf = (store: string) => get(`/batches?storeClientId=${store}&kind=catalog-sync`);
  const stockOf = async (store: string) => {
    const { products } = await controls.products(store);
    return products.find(({ sku }) => sku === skuOf(1))?.history.stock.at(-1)?.stock;
  };
  return {
    controls,
    attention,
    waitsFor: (kind: AttentionKind, storeClientId?: string) =>
      until(`${kind} in what waits for a person`, async () =>
        (await attention()).find((one) => one.kind === kind && one.storeClientId === storeClientId),
      ),
    isOver: (kind: AttentionKind) =>
      until(`the end of ${kind} in what waits for a person`, async () =>
        (await attention()).every((one) => one.kind !== kind),
      ),
    /** Puts a stock event among the dead letters. @returns the ID of its message */
    poison: async (eventId: string): Promise<string> => {
      const { endpoint, region, adminCredentials: credentials, outputs } = run.local;
      const queues = new SQSClient({ endpoint, region, credentials });
      const name = outputs.ChangesDeadLettersArn?.split(':').at(-1);
      const detail = { storeClientId: 'store-0wh', items: [{ sku: eventId, stock: 1 }] };
      const MessageBody = JSON.stringify({ id: eventId, 'detail-type': 'stock.changed', detail });
      const QueueUrl = `${endpoint}/000000000000/${name}`;
      const { MessageId = '' } = await queues.send(new SendMessageCommand({ QueueUrl, MessageBody }));
      queues.destroy();
      return MessageId;
    },
    batchesOf: async (store: string) => (await batchesOf(store)).batches,
    batchOf: (batchId: string) => get(`/batches/${batchId}`),
    stateOf: async (store: string) => (await get(`/stores/${store}`)).state,
    /** Of the first product, as that of all that follows. */
    sendStock: (storeClientId: string, stock: number) =>
      partner.putEvents([
        {
          detailType: 'stock.changed',
          // Of two stocks in one second, as an event's own time has it, the smaller would win.
          detail: { storeClientId, occurredAt: Date.now(), items: [{ sku: skuOf(1), stock }] },
        },
      ]),
    stockOf,
    /** Waits for the stock at the marketplace; wakes the lanes, as the schedule does every minute. */
    stockArrives: (store: string, stock: number) =>
      until(
        `a stock of ${stock} in ${store}`,
        async () => {
          await run.local.triggerSchedule('LaneWaker');
          return (await stockOf(store)) === stock;
        },
        // A lane that was refused several times backs off for some seconds.
        { everyMs: 500, withinMs: 180_000 },
      ),
    batchAttribute: (batchId: string, name: string, value: string | number) =>
      setAttribute(run, { table: 'Batches', key: { batchId }, name, value }),

    /** Imports products; gives their batch: the ended one, or the open one where its final summary is to get lost. */
    importCatalog: async (store: string, text: string, { losesSummary = false } = {}) => {
      const known = (await batchesOf(store)).batches.length;
      if (losesSummary)
        await controls.addFault({ path: '/partner/stores/catalog/*', fault: { webhook: 'drop' } });
      await partner.putImportFile(`catalog/${store}/${known}.ndjson`, text);
      return until(`batch ${known + 1} of ${store}`, async () => {
        const { batches } = await batchesOf(store);
        const isKnown = batches.length > known && batches[0].announced.length > 0;
        return isKnown && (losesSummary || batches[0].state !== 'submitted') && batches[0];
      });
    },

    /** Gives a decision whose request or answer gets lost. */
    loseDecision: async (store: string, drop: 'before' | 'after') => {
      const { orderId } = await controls.createOrder({ storeClientId: store, subStatus: 'pending' });
      await controls.addFault({ path: '/partner/stores/orders/decisions', fault: { drop } });
      const items = [{ orderId, decision: 'accept' }];
      const { status } = await partner.callApi('POST', `/stores/${store}/orders/decisions`, { items });
      expect(status).toBe(504);
      return orderId;
    },
  };
}

/** The line of an import file with one product. */
export function lineOf(number: number): string {
  return `${JSON.stringify(simpleProduct(number))}\n`;
}
