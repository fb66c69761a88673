import { randomUUID } from 'node:crypto';
import { account } from '../../template/account.ts';

/** The detail's own text: `JSON.stringify` fails on a detail that nests thousands of levels. */
const detailText = Symbol('detailText');

/** An event as a bus delivers it to its targets. */
export interface BusEvent {
  readonly version: '0';
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  /** ISO 8601, without fractions of a second, as on a real bus. */
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
  readonly [detailText]?: string | undefined;
}

/** @param event.time epoch milliseconds */
export function busEvent(event: {
  source: string;
  detailType: string;
  detail: Readonly<Record<string, unknown>>;
  detailText?: string;
  time: number;
  resources?: readonly string[];
}): BusEvent {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': event.detailType,
    source: event.source,
    account: account.id,
    time: `${new Date(event.time).toISOString().slice(0, 19)}Z`,
    region: account.region,
    resources: event.resources ?? [],
    detail: event.detail,
    ...(event.detailText !== undefined && { [detailText]: event.detailText }),
  };
}

/** The JSON of an event. */
export function eventText(event: BusEvent): string {
  const text = event[detailText];
  if (text === undefined) return JSON.stringify(event);
  return `${JSON.stringify({ ...event, detail: undefined }).slice(0, -1)},"detail":${text}}`;
}
