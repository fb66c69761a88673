import { definedOf } from '../../collections/defined-of.ts';
import type { EventPublisher } from '../../events/outgoing.ts';
import { freshLimit, type Limit } from '../../limits/model.ts';
import type { LimitTable } from '../../limits/ports.ts';
import type { Clock } from '../../time/clock.ts';
import type { IsoTime } from '../../time/times.ts';
import type { Health } from '../model.ts';
import { healthOf, isToReport } from '../rules/health.ts';

export interface ReadHealthPorts {
  readonly limits: Pick<LimitTable, 'get'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The items of the limit. */
export function readLimits(
  { limits }: Pick<ReadHealthPorts, 'limits'>,
  limitIds: readonly string[],
): Promise<Limit[]> {
  return Promise.all(limitIds.map(async (id) => (await limits.get(id)) ?? freshLimit(id)));
}

/** The health of the marketplace, as all functions together see it. */
export async function readHealth(ports: ReadHealthPorts, limitIds: readonly string[]): Promise<Health> {
  return healthOf(await readLimits(ports, limitIds), ports.clock.now());
}

/** `storeClientId` of an event about all stores. */
const ALL_STORES = '-' as const;

export interface ReportHealthPorts extends ReadHealthPorts {
  readonly limits: Pick<LimitTable, 'get' | 'change'>;
  readonly events: EventPublisher;
}

/**
 * Publishes once that the marketplace fails, and once that it has recovered.
 *
 * @returns the health, and whether the marketplace fails so much that it is reported
 */
export async function reportHealth(
  ports: ReportHealthPorts,
  limitIds: readonly string[],
): Promise<{ readonly isFailing: boolean; readonly health: Health }> {
  const { limits, events, clock } = ports;
  const items = await readLimits(ports, limitIds);
  const health = healthOf(items, clock.now());
  const { limitId: firstId = '', failingReported: reported }: Partial<Limit> = items[0] ?? {};
  const isFailing = isToReport(health, clock.now());
  if (isFailing && reported === undefined) {
    const since = health.since ?? new Date(clock.now()).toISOString();
    await events.publish([{ detailType: 'marketplace.failing', detail: failingDetail(health, since) }]);
    await limits.change(firstId, { set: { failingReported: Date.parse(since) } });
  }
  if (reported !== undefined && health.state === 'healthy') {
    const recoveredAt = health.lastSuccessAt ?? new Date(clock.now()).toISOString();
    const detail = { storeClientId: ALL_STORES, since: new Date(reported).toISOString(), recoveredAt };
    await events.publish([{ detailType: 'marketplace.recovered', detail }]);
    await limits.change(firstId, { set: { failingReported: undefined } });
  }
  return { isFailing, health };
}

function failingDetail(
  { text, recent: { requests, failed }, lastFailure, lastSuccessAt, heldUntil }: Health,
  since: IsoTime,
) {
  const { status, code } = lastFailure ?? {};
  return {
    storeClientId: ALL_STORES,
    since,
    message: text,
    requests,
    failed,
    ...definedOf({ status, code, lastSuccessAt, heldUntil }),
  };
}
