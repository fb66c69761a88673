import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConnectorRun } from '../../local/run/connector-run.ts';
import { createEventTap, type EventTap } from '../../local/run/event-tap.ts';
import { startQuickRun } from '../../local/run/quick-run.ts';
import { hastyTemplate } from '../../tools/chaos/hasty-template.ts';
import { Random } from '../simulation/engine/random.ts';

/** Number of orders whose label is requested; the full test has `LABELS=2000`. */
const COUNT = Number(process.env.LABELS ?? 20);
/** One order in this many is in a state without a label. */
const REFUSED_EVERY = 10;
/** Messages of a killed function are redelivered after 20 s, so a short run kills none. */
const KILLS = Math.floor(COUNT / 100);
const SETTLE_WITHIN_MS = 120_000 + COUNT * 400;
/** The limits of the stack and the sandbox: ten times the default for the full test. */
const ALLOWED =
  COUNT > 100
    ? { requestsPerSecond: 50, requestsInFlight: 20 }
    : { requestsPerSecond: 5, requestsInFlight: 5 };

/** Faults of different kinds; those with `Retry-After` slow every request, so they are rare. */
const FAULTS = [
  { drop: 'before' },
  { drop: 'after' },
  { status: 504, code: 'SYS_UPS_001' },
  { delayMs: 300 },
  { malformed: true },
  { contentType: 'text/html' },
  { oversized: true },
] as const;
const RARE_FAULTS = [{ status: 503, code: 'SYS_DEP_503' }, { retryAfter: 1 }] as const;
const RARE = 0.02;

const storeClientId = 'store-1wh';

let run: ConnectorRun;
let tap: EventTap;

beforeAll(async () => {
  run = await startQuickRun({ template: await hastyTemplate(ALLOWED), schedules: 'manual' });
  await run.controls?.setLimits({ requestsPerSecond: ALLOWED.requestsPerSecond });
  tap = await createEventTap(run.local, { detailTypes: ['document.stored', 'document.failed'] });
});

afterAll(async () => {
  await tap?.close();
  await run?.[Symbol.asyncDispose]();
});

/** Makes the orders; half of them fail at the first call for their label. */
async function makeOrders(): Promise<{ allowed: string[]; refused: string[] }> {
  const random = new Random(11);
  const allowed: string[] = [];
  const refused: string[] = [];
  for (let number = 1; number <= COUNT; number += 1) {
    const isRefused = number % REFUSED_EVERY === 0;
    const subStatus = isRefused ? 'delivered' : 'confirmed';
    const order = await run.controls?.createOrder({ storeClientId, subStatus });
    const orderId = order?.orderId ?? expect.unreachable();
    (isRefused ? refused : allowed).push(orderId);
    const path = `/partner/stores/orders/${orderId}/documents/shipping-label`;
    const faults = random.chance(RARE) ? RARE_FAULTS : FAULTS;
    if (random.chance(0.5)) await run.controls?.addFault({ path, fault: random.pick<object>(faults) });
  }
  return { allowed, refused };
}

test(`each of ${COUNT} labels is one stored document or one reported failure, however calls fail`, {
  timeout: SETTLE_WITHIN_MS + 30_000,
}, async () => {
  const { allowed, refused } = await makeOrders();
  await run.partner.putEvents(
    [...allowed, ...refused].map((orderId) => ({
      detailType: 'order.document.requested',
      detail: { storeClientId, orderId, document: 'shipping-label', commandId: `label-${orderId}` },
    })),
  );
  for (let kill = 0; kill < KILLS; kill += 1) {
    await pause(500);
    run.local.functions.kill('DocumentFetcher');
  }
  await run.local.idle({ timeoutMs: SETTLE_WITHIN_MS });

  const events = await tap.events();
  const about = (detailType: string) =>
    new Map(
      events
        .filter((event) => event['detail-type'] === detailType)
        .map(({ detail }) => [String(detail.orderId), detail]),
    );
  const stored = about('document.stored');
  const failed = about('document.failed');
  expect([...stored.keys()].sort()).toEqual(allowed.toSorted());
  expect([...failed.keys()].sort()).toEqual(refused.toSorted());
  expect(new Set([...failed.values()].map(({ code }) => code))).toEqual(new Set(['ORDER_021']));
  for (const { key, sha256 } of stored.values()) {
    const { bytes = new Uint8Array() } = await run.partner.getDocument(String(key));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
  }
  expect(await run.partner.deadLetters()).toEqual([]);
});
