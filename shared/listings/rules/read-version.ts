import type { VersionKind } from '../model.ts';

/** How far ahead of when it was sent a time may be (design §5.1). */
export const MAX_FUTURE_MS = 5 * 60_000;

export type VersionReading =
  | { readonly ok: true; readonly kind: VersionKind; readonly version: number }
  | {
      readonly ok: false;
      readonly code: 'VERSION_FUTURE' | 'VERSION_KIND';
      readonly message: string;
      readonly field: string;
    };

/**
 * The version of an event's values: its integer `version`, else its `occurredAt`, else the event's own time (one
 * second of resolution on the bus). `sentAt`, when its message was sent, and `eventTime` are epoch ms.
 */
export function readVersion(
  detail: { version?: number | undefined; occurredAt?: string | number | undefined },
  eventTime: number,
  sentAt: number,
): VersionReading {
  if (detail.version !== undefined && detail.occurredAt !== undefined) {
    return {
      ok: false,
      code: 'VERSION_KIND',
      message: 'give occurredAt or version, not both',
      field: 'version',
    };
  }
  if (detail.version !== undefined) return { ok: true, kind: 'integer', version: detail.version };
  const time = timeOf(detail.occurredAt, eventTime);
  if (time > sentAt + MAX_FUTURE_MS) {
    return {
      ok: false,
      code: 'VERSION_FUTURE',
      message: `occurredAt ${new Date(time).toISOString()} is more than 5 minutes ahead`,
      field: 'occurredAt',
    };
  }
  return { ok: true, kind: 'time', version: time };
}

function timeOf(occurredAt: string | number | undefined, eventTime: number): number {
  if (occurredAt === undefined) return eventTime;
  return typeof occurredAt === 'number' ? occurredAt : Date.parse(occurredAt);
}
