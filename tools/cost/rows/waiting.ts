import { skuOf } from '../../../local/run/catalog.ts';
import { createLaneTable } from '../../../shared/aws/lane-table.ts';
import { createLimitTable } from '../../../shared/aws/limit-table.ts';
import { freshLimit } from '../../../shared/limits/model.ts';
import type { Stage } from '../stage.ts';
import { billOf, type CostRow } from './row.ts';

const STORE = 'store-0wh';
const IDLE_STORES = 1_000;
const MINUTES_PER_MONTH = 30 * 24 * 60;
const SECONDS_PER_DAY = 24 * 60 * 60;
/** Looks of a waiting lane that are not counted: it may look less often, the longer it waits. */
const LOOKS_BEFORE = 8;
/** So many that the average pause, each drawn at random, differs by a few percent from run to run. */
const LOOKS = 40;
/** Milliseconds for which all places are taken: longer than a lane waits for one, also on a slow machine. */
const PLACES_TAKEN_MS = 15_000;

/** Has other requests hold all places for a while from now on. */
async function takeAllPlaces(stage: Stage): Promise<void> {
  const limitId = stage.run.marketplace.partnerClientId;
  const limits = createLimitTable(stage.client, stage.tableName('Limits'));
  await limits.create(freshLimit(limitId));
  await limits.change(limitId, { set: { nextSlotAt: Date.now() + PLACES_TAKEN_MS } });
}

/** Lets the pause of the lane be over, as it is when its ticket comes. */
async function endPause(stage: Stage): Promise<void> {
  const lanes = createLaneTable(stage.client, stage.tableName('Lanes'));
  const { paused, waitsFor, oneAtATime, rowsAtMost } = (await lanes.get(STORE)) ?? {};
  if (paused === undefined) return;
  const now = Date.now();
  const lease = { leaseId: 'of the measurement', now, until: now + 1_000 };
  if (!(await lanes.acquire(STORE, lease))) throw new Error('the lane has a holder');
  const state = { waitsFor, oneAtATime, rowsAtMost, paused: { ...paused, until: now } };
  await lanes.release(STORE, { leaseId: lease.leaseId, state });
}

/** The lane's ticket is handed over; seconds until the next one. Nothing is remembered of the look before. */
async function look(stage: Stage, body: string): Promise<number> {
  const { functions } = stage.run.local;
  functions.kill('ListingProducer');
  // A new process starts before the places are taken, so that its start does not count.
  await functions.invoke('ListingProducer', { Records: [] });
  await endPause(stage);
  await takeAllPlaces(stage);
  const before = stage.sent.length;
  const ticket = { messageId: 'ticket', body, attributes: { SentTimestamp: String(Date.now()) } };
  await stage.invoke('ListingProducer', { Records: [ticket] }, 1);
  // Its receive and its deletion, which Lambda's pollers ask for.
  stage.bill.add('queueRequest', 2);
  const [next] = stage.sent.slice(before);
  if (next === undefined) throw new Error('the lane has left no ticket');
  return next.delaySeconds;
}

export const waitingRows: readonly CostRow[] = [
  {
    title: '1,000 idle stores, a month',
    per: 'period',
    measure: async (stage) => {
      const lanes = createLaneTable(stage.client, stage.tableName('Lanes'));
      for (let store = 0; store < IDLE_STORES; store += 1) await lanes.markDirty(`idle-${store}`);
      return billOf(stage, MINUTES_PER_MONTH, async () => void (await stage.invoke('LaneWaker', {})));
    },
  },
  {
    title: 'a lane that waits for permits, a day',
    per: 'period',
    measure: async (stage) => {
      const items = [{ sku: skuOf(1), stock: 77 }];
      const detail = { storeClientId: STORE, items };
      await stage.run.partner.putEvents([{ detailType: 'stock.changed', detail }]);
      await stage.drain('Changes');
      const body = JSON.stringify({ storeClientId: STORE });
      for (let round = 0; round < LOOKS_BEFORE; round += 1) await look(stage, body);
      let seconds = 0;
      const bill = await billOf(stage, 1, async () => {
        for (let round = 0; round < LOOKS; round += 1) seconds += await look(stage, body);
      });
      return bill.times(SECONDS_PER_DAY / seconds);
    },
  },
];
