import * as z from 'zod';
import { MOST_KEPT } from '../../shared/changes/change-events.ts';
import { type RejectedRowsPorts, rejectedRowsOf } from '../../shared/changes/use-cases/rejected-rows.ts';
import type { ImportTable } from '../../shared/imports/ports.ts';
import { notListedOf } from '../../shared/imports/rules/not-listed.ts';
import {
  type Rejection,
  type RejectionKeyName,
  type RejectionTable,
  rejectionKeyNames,
  rejectionSchema,
} from '../../shared/rejections/model.ts';
import {
  type ListRejectionsPorts,
  listRejections,
} from '../../shared/rejections/use-cases/list-rejections.ts';
import { batchPath, sinceSchema } from './batches.ts';
import { storePath } from './for-store.ts';
import { targetSchema } from './listings.ts';
import { idSchema, pageOf, pageQuery, type Route, route } from './route.ts';

export interface RejectionRoutesPorts extends ListRejectionsPorts, RejectedRowsPorts {
  readonly imports: Pick<ImportTable, 'get'>;
  readonly rejections: Pick<RejectionTable, 'list' | 'listOfStores'>;
}

const id = idSchema.optional();
/** The things that rejections are found by. */
const rejectionKeys = {
  target: targetSchema.optional(),
  orderId: id,
  invoiceNumber: id,
  eventId: id,
  commandId: id,
  batchId: batchPath.shape.batchId.optional(),
  importId: id,
} satisfies Record<RejectionKeyName, z.ZodType>;
const commonQuery = z.strictObject({
  ...rejectionKeys,
  code: id,
  /** By the time of the event, or of the request that was refused. */
  since: sinceSchema.optional(),
  ...pageQuery,
});
type Keys = Partial<Record<RejectionKeyName, string | undefined>>;

const hasOneKey = (query: Keys) => rejectionKeyNames.filter((key) => query[key] !== undefined).length < 2;
const oneKey = { message: `give at most one of ${rejectionKeyNames.join(', ')}` };

const ofStoreQuery = commonQuery
  .extend({ order: z.enum(['oldest', 'newest']).default('oldest') })
  .refine(hasOneKey, oneKey);
/** Default: all stores, and events that name no store. */
const ofAllQuery = commonQuery.extend({ storeClientId: id }).refine(hasOneKey, oneKey);

function aboutOf(keys: Keys) {
  const [about] = rejectionKeyNames.flatMap((key) => {
    const value = keys[key];
    return value === undefined ? [] : [{ name: key, value }];
  });
  return about;
}

interface Asked {
  readonly eventId: string | undefined;
  readonly storeClientId?: string | undefined;
  readonly code?: string | undefined;
  readonly since?: string | undefined;
  readonly cursor?: string | undefined;
}

const CUT_SHORT = `Of the rows that the marketplace rejected, those of the event's first ${MOST_KEPT} products are found by it; the others by their products or batches.`;

/** Adds to the first page of an event the rows that the marketplace rejected: they are not stored under the event. */
async function withRowsOfEvent<Page extends { readonly rejections: Rejection[] }>(
  ports: RejectedRowsPorts,
  page: Page,
  { eventId, storeClientId, code, since = '', cursor }: Asked,
): Promise<Page & { readonly message?: string }> {
  if (eventId === undefined || cursor !== undefined) return page;
  const known = new Set(page.rejections.map(({ rejectionId }) => rejectionId));
  const { rows, isCut } = await rejectedRowsOf(ports, eventId, storeClientId);
  const further = rows.filter(
    (row) =>
      !known.has(row.rejectionId) && row.rejectedAt >= since && (code === undefined || row.code === code),
  );
  return { ...page, rejections: [...page.rejections, ...further], ...(isCut && { message: CUT_SHORT }) };
}

/** Adds to the first page of a file a note on what the page leaves out: rows that the marketplace rejected are not stored under a file. */
async function withWordOfFile<Page extends { readonly rejections: Rejection[] }>(
  { imports }: Pick<RejectionRoutesPorts, 'imports'>,
  page: Page,
  { importId, cursor }: { readonly importId?: string | undefined; readonly cursor?: string | undefined },
): Promise<Page & { readonly message?: string }> {
  if (importId === undefined || cursor !== undefined) return page;
  const file = await imports.get(importId);
  const message = file && notListedOf(file);
  return { ...page, ...(message !== undefined && { message }) };
}

/** What was rejected, of one store or of all. */
export function rejectionRoutes(ports: RejectionRoutesPorts): Route[] {
  const answers = { 200: pageOf({ rejections: z.array(rejectionSchema), message: z.string().optional() }) };
  const keyed = `Give at most one of ${rejectionKeyNames.map((key) => `\`${key}\``).join(', ')}`;
  return [
    route(
      'GET /rejections',
      {
        summary: `What was rejected, by the connector or the marketplace, over all stores (at most 50), the newest first. ${keyed}`,
        query: ofAllQuery,
        answers,
      },
      async ({ query: { storeClientId, code, since, limit, cursor, ...keys } }) => {
        const query = { about: aboutOf(keys), code, since, limit, cursor };
        const listed = await listRejections(ports, storeClientId, query);
        const page = await withWordOfFile(ports, listed, { ...keys, cursor });
        return withRowsOfEvent(ports, page, { ...query, eventId: keys.eventId, storeClientId });
      },
    ),

    route(
      'GET /stores/{storeClientId}/rejections',
      {
        summary: `What was rejected, by the connector or the marketplace: rows, commands, events and files, the oldest first. ${keyed}`,
        path: storePath,
        query: ofStoreQuery,
        answers,
      },
      async ({ path, query: { code, since, order, limit, cursor, ...keys } }) => {
        const query = { about: aboutOf(keys), code, since, newestFirst: order === 'newest', limit, cursor };
        const listed = await ports.rejections.list(path.storeClientId, query);
        const page = await withWordOfFile(ports, listed, { ...keys, cursor });
        return withRowsOfEvent(ports, page, { ...query, ...path, eventId: keys.eventId });
      },
    ),
  ];
}
