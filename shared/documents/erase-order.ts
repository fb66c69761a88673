import * as z from 'zod';
import { definedOf } from '../collections/defined-of.ts';
import { eachPage } from '../collections/page-request.ts';
import { ConnectorError } from '../errors/connector-error.ts';
import { documentKindSchema, orderActionSchema } from '../marketplace/fields.ts';
import { type OrderRecord, type OrderReference, type OrderWait, orderKeyOf } from '../orders/model.ts';
import type { OrderTable } from '../orders/ports.ts';
import type { Rejection, RejectionKey, RejectionTable } from '../rejections/model.ts';
import { keyText } from '../rejections/rules/keys.ts';
import { REPLACED_DOCUMENT_DAYS } from '../settings/stack-rules.ts';
import type { EpochMs, IsoTime } from '../time/times.ts';
import { lockDocument, unlockDocument } from './document-domain.ts';
import type { DocumentBucket, DocumentPorts } from './ports.ts';
import { documentKey } from './rules/document-key.ts';

const DAY_MS = 86_400_000;
/** DynamoDB can restore a table to any time within this many days. */
const POINT_IN_TIME_DAYS = 35;

export const erasureSchema = z.object({
  storeClientId: z.string(),
  orderId: z.string().optional(),
  invoiceNumber: z.string().optional(),
  erased: z.object({
    /** Keys in the document bucket. */
    documents: z.array(z.string()),
    /** Keys in the Orders table. */
    records: z.array(z.string()),
    /** IDs of rejections. */
    rejections: z.array(z.string()),
  }),
  /** What may be left: data that cannot be found by an order, or that also contains other orders. */
  left: z.array(
    z.object({
      where: z.string(),
      /** The order's data in it. */
      what: z.string(),
      /** An `IsoTime`: when the last of the data has expired, if nothing more is done with the order. */
      goneBy: z.string(),
    }),
  ),
});
export type Erasure = z.infer<typeof erasureSchema>;

type WaitingKind = Pick<OrderWait, 'detailType' | 'document'>;

export interface EraseOrderPorts extends Pick<DocumentPorts, 'locks'> {
  readonly orders: Pick<OrderTable, 'get' | 'remove'>;
  readonly documents: Pick<DocumentBucket, 'remove'>;
  readonly rejections: Pick<RejectionTable, 'list' | 'putAll'>;
  /** The commands about these orders that wait. */
  readonly waitsOf: (orders: readonly OrderRecord[]) => Promise<readonly WaitingKind[]>;
  readonly clock: { now(): EpochMs };
  /** Returns a new unique ID. */
  readonly newId: () => string;
  /** How many days things are kept: records and bodies of requests, records and documents of orders. */
  readonly retentionDays: Readonly<Record<'records' | 'archive' | 'orders' | 'documents', number>>;
}

/**
 * Erases the documents, records and rejections of an order, and says what is left. May be repeated: a repetition names only what it
 * erases itself.
 *
 * @param reference one or both names of the order. Documents are found by the order ID.
 * @throws {ConnectorError} `ORDER_OUTCOME_UNKNOWN` while the outcome of a decision or dropoff is unknown: only the order's record tells
 * that it may have been sent. Nothing is erased then.
 * @throws {ConnectorError} `DOCUMENT_BUSY`, retryable, while a document of the order is being fetched.
 */
export async function eraseOrder(
  ports: EraseOrderPorts,
  storeClientId: string,
  reference: OrderReference,
): Promise<Erasure> {
  const { orderId, invoiceNumber } = reference;
  const names = Object.entries(definedOf({ orderId, invoiceNumber })).map(
    ([name, value]) => ({ name, value }) as NameOfOrder,
  );
  const keys = names.map(({ name, value }) => orderKeyOf({ [name]: value }));
  const orders = await Promise.all(keys.map((orderKey) => ports.orders.get(storeClientId, orderKey)));
  for (const order of orders) refuseUnsettled(order);
  const waits = await ports.waitsOf(orders.filter((order) => order !== undefined));
  const documents = orderId === undefined ? [] : await eraseDocuments(ports, storeClientId, orderId);
  const records: string[] = [];
  for (const orderKey of keys) if (await eraseRecord(ports, storeClientId, orderKey)) records.push(orderKey);
  return {
    storeClientId,
    ...definedOf({ orderId, invoiceNumber }),
    erased: { documents, records, rejections: await eraseRejections(ports, storeClientId, names) },
    left: [
      ...leftByCommands(ports, waits),
      ...leftUnderOtherName(ports, reference),
      ...leftOf(ports.retentionDays, ports.clock.now()),
    ],
  };
}

async function eraseDocuments(
  ports: EraseOrderPorts,
  storeClientId: string,
  orderId: string,
): Promise<string[]> {
  const erased: string[] = [];
  for (const document of documentKindSchema.options) {
    const key = documentKey({ storeClientId, orderId, document });
    const holder = ports.newId();
    await lockDocument(ports, key, holder, { document, orderId });
    try {
      if (await ports.documents.remove(key)) erased.push(key);
    } finally {
      // Ignore a failed release: the lock expires anyway.
      await unlockDocument(ports, key, holder).catch(() => undefined);
    }
  }
  return erased;
}

/** @returns whether there was a record */
async function eraseRecord(
  { orders }: EraseOrderPorts,
  storeClientId: string,
  orderKey: string,
): Promise<boolean> {
  let order = await orders.get(storeClientId, orderKey);
  const isThere = order !== undefined;
  while (order !== undefined) {
    refuseUnsettled(order);
    if (await orders.remove(order)) break;
    order = await orders.get(storeClientId, orderKey);
  }
  return isThere;
}

type NameOfOrder = RejectionKey & { readonly name: 'orderId' | 'invoiceNumber' };

/** Erases the rejections that are only about this order. @returns their IDs */
async function eraseRejections(
  { rejections }: EraseOrderPorts,
  storeClientId: string,
  names: readonly NameOfOrder[],
): Promise<string[]> {
  const keys = new Set(names.map(keyText));
  const isOfOrder = ({ orderId, invoiceNumber }: OrderReference) =>
    (orderId !== undefined && keys.has(keyText({ name: 'orderId', value: orderId }))) ||
    (invoiceNumber !== undefined && keys.has(keyText({ name: 'invoiceNumber', value: invoiceNumber })));
  const erased = new Map<string, Rejection>();
  for (const about of names) {
    for await (const page of eachPage((request) => rejections.list(storeClientId, { about, ...request }))) {
      for (const { rejectionId } of page.rejections) {
        // A rejection that is found by an order shows only that order's row. Read by its own ID, it has all rows.
        const [whole] = (await rejections.list(storeClientId, { since: rejectionId, limit: 1 })).rejections;
        const isItsOwn = whole?.rejectionId === rejectionId && (whole.subjects ?? [whole]).every(isOfOrder);
        if (isItsOwn) erased.set(rejectionId, whole);
      }
    }
  }
  await rejections.putAll([], [...erased.values()]);
  return [...erased.keys()];
}

function refuseUnsettled(order: OrderRecord | undefined): void {
  for (const action of orderActionSchema.options) {
    const state = order?.[action]?.state;
    if (state !== 'sending' && state !== 'unknown') continue;
    const message = `the outcome of the ${action} of this order is not known (${state}): erase the order when it is`;
    throw new ConnectorError(message, { code: 'ORDER_OUTCOME_UNKNOWN' });
  }
}

/** What waiting commands leave: each makes a record and a document again. */
function leftByCommands(ports: RetentionPorts, waits: readonly WaitingKind[]): Erasure['left'] {
  return waits.map(({ detailType, document }) => ({
    where: 'a queue',
    what: `a command for the order that waits (${[detailType, document].filter(Boolean).join(', ')}): it is performed all the same. Erase the order again after it`,
    goneBy: keptUntil(ports),
  }));
}

type RetentionPorts = Pick<EraseOrderPorts, 'retentionDays' | 'clock'>;

/** When the present records and documents of orders will have expired. */
function keptUntil({ retentionDays: { orders, documents }, clock }: RetentionPorts): IsoTime {
  return midnightAfter(clock.now() + Math.max(orders, documents) * DAY_MS);
}

/**
 * What may be left under the order's other name, which is not known here: a record is stored under the kind of name that its store uses,
 * a document under the order ID.
 */
function leftUnderOtherName(
  ports: RetentionPorts,
  { orderId, invoiceNumber }: OrderReference,
): Erasure['left'] {
  if (orderId !== undefined && invoiceNumber !== undefined && orderId !== invoiceNumber) return [];
  return [
    {
      where: 'the Orders table and the document bucket',
      what: 'its record under its other name, and its documents if no order ID was given: erase it by the other name too',
      goneBy: keptUntil(ports),
    },
  ];
}

function leftOf({ records, archive }: EraseOrderPorts['retentionDays'], now: EpochMs): Erasure['left'] {
  const names = "the order's ID or invoice number";
  return [
    {
      where: 'the document bucket, as older versions',
      what: 'documents that were erased or replaced',
      goneBy: midnightAfter(now + REPLACED_DOCUMENT_DAYS * DAY_MS),
    },
    {
      where: "the backups of the tables (DynamoDB's point-in-time recovery)",
      what: `the erased records: ${names}, what was done with it, and the reason that was given`,
      goneBy: midnightAfter(now + POINT_IN_TIME_DAYS * DAY_MS),
    },
    {
      where: 'the Requests, Batches and Rejections tables',
      what: `${names}, a decision and its reason, in requests, batches of dropoffs and rejections that may have other orders too; an unresolved batch stays until it is resolved`,
      goneBy: midnightAfter(now + records * DAY_MS),
    },
    {
      where: 'the archive bucket',
      what: `${names}, a decision and its reason, in bodies of requests and of webhooks that have other orders too`,
      goneBy: midnightAfter(now + archive * DAY_MS),
    },
  ];
}

/** S3 expires objects at the first midnight, in UTC, after their days. */
function midnightAfter(time: EpochMs): IsoTime {
  return new Date(Math.ceil(time / DAY_MS) * DAY_MS).toISOString();
}
