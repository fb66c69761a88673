import * as z from 'zod';
import { mapConcurrently, READS_AT_A_TIME } from '../../shared/collections/for-each-concurrently.ts';
import type { PageRequest } from '../../shared/collections/page-request.ts';
import type { DriftTable, VerificationTable } from '../../shared/drift/ports.ts';
import { MOST_RECONCILED, reconcileReportSchema } from '../../shared/drift/rules/reconcile-report.ts';
import {
  type DriftKind,
  driftEntrySchema,
  driftKindSchema,
  entriesOf,
  unknownOf,
  verificationViewSchema,
  viewOfVerification,
} from '../../shared/drift/rules/view.ts';
import { type ReconcilePorts, reconcile } from '../../shared/drift/use-cases/reconcile.ts';
import { type RepairDriftPorts, repairDrift } from '../../shared/drift/use-cases/repair-drift.ts';
import type { StoreTable } from '../../shared/stores/ports.ts';
import type { ForConnectedStorePorts } from '../../shared/stores/use-cases/for-connected-store.ts';
import { forStore, getStore, storePath } from './for-store.ts';
import { targetSchema } from './listings.ts';
import { decimalNumber, pageOf, pageQuery, type Route, route } from './route.ts';

export interface DriftRoutesPorts extends RepairDriftPorts, ReconcilePorts, ForConnectedStorePorts {
  readonly stores: ForConnectedStorePorts['stores'] & Pick<StoreTable, 'list'>;
  readonly drift: Pick<DriftTable, 'update' | 'list' | 'listPages'>;
  readonly verifications: Pick<VerificationTable, 'get'>;
}

/** The share of verified listings counts listings that were compared within this many hours. */
const hours = decimalNumber(z.number().positive().max(8760).default(24));
const overviewQuery = z.strictObject({ ...pageQuery, hours });
const driftQuery = z.strictObject({
  ...pageQuery,
  /** Default: all differences, contested ones included. */
  kind: driftKindSchema.optional(),
  hours,
});

const storeVerificationSchema = z.object({
  storeClientId: z.string(),
  verification: verificationViewSchema,
});

const MOST_TARGETS = 100;
const repairBody = z.strictObject({ targets: z.array(targetSchema).min(1).max(MOST_TARGETS) });

const reconcileBody = z.strictObject({
  items: z.array(z.record(z.string(), z.unknown())).min(1).max(MOST_RECONCILED),
  /** Whether to send the values that differ. */
  apply: z.boolean().default(false),
  /** Version of the sent values, in a store with integer versions. Default: now. */
  version: z.int().nonnegative().optional(),
});

/** The differences between live values and the listings that the listing-verifier has found. */
export function driftRoutes(ports: DriftRoutesPorts): Route[] {
  const { stores, verifications, clock } = ports;
  return [
    route(
      'GET /drift',
      {
        summary:
          'How far the verification of each store is and what its last whole cycle has found, in pages of stores',
        query: overviewQuery,
        answers: { 200: pageOf({ stores: z.array(storeVerificationSchema) }) },
      },
      async ({ query: { hours, ...page } }) => showVerifications(ports, hours, page),
    ),

    route(
      'GET /stores/{storeClientId}/drift',
      {
        summary:
          'Values at the marketplace that are not the accepted ones; listings without a product and products without a listing by `kind`; how far the verification is',
        path: storePath,
        query: driftQuery,
        answers: {
          200: pageOf({ verification: verificationViewSchema, entries: z.array(driftEntrySchema) }),
        },
      },
      async ({ path: { storeClientId }, query: { kind, hours, ...page } }) => {
        await getStore(stores, storeClientId);
        const verification = await verifications.get(storeClientId);
        const view = viewOfVerification(verification, hours, clock.now());
        return { verification: view, ...(await list(ports, storeClientId, kind, page)) };
      },
    ),

    route(
      'POST /stores/{storeClientId}/drift/repair',
      {
        summary: 'Sends the newest values of drifted listings again, contested ones included',
        path: storePath,
        body: repairBody,
        answers: { 202: z.object({ repaired: z.array(z.string()) }) },
      },
      async ({ path: { storeClientId }, body: { targets } }) => {
        await getStore(stores, storeClientId);
        return { repaired: await repairDrift(ports, storeClientId, targets) };
      },
    ),

    route(
      'POST /stores/{storeClientId}/reconcile',
      {
        summary:
          'Compares prices and stock that should be live with what is live; with `apply`, sends only what differs',
        path: storePath,
        body: reconcileBody,
        answers: { 200: reconcileReportSchema },
      },
      async ({ path: { storeClientId }, body: { items, apply, version }, requestId }) => {
        const options = { apply, version, eventId: requestId, now: clock.now() };
        return forStore(ports, storeClientId, (store, callOptions) =>
          reconcile(ports, store, items, options, callOptions),
        );
      },
    ),
  ];
}

/** The verification of each store of one page: one read by key per store. */
async function showVerifications(
  { stores, verifications, clock }: DriftRoutesPorts,
  hours: number,
  request: PageRequest,
) {
  const { stores: some, ...page } = await stores.list(request);
  const shown = await mapConcurrently(some, READS_AT_A_TIME, async ({ storeClientId }) => {
    const verification = await verifications.get(storeClientId);
    return { storeClientId, verification: viewOfVerification(verification, hours, clock.now()) };
  });
  return { stores: shown, ...page };
}

/** The entries of one page of records. */
async function list(
  { drift }: Pick<DriftRoutesPorts, 'drift'>,
  storeClientId: string,
  kind: DriftKind | undefined,
  page: { readonly limit: number; readonly cursor?: string | undefined },
) {
  if (kind === 'unknown-product') {
    const { pages, ...rest } = await drift.listPages(storeClientId, page);
    return { entries: pages.flatMap(unknownOf), ...rest };
  }
  const { drifts, ...rest } = await drift.list(storeClientId, page);
  const kinds: readonly DriftKind[] = kind === undefined ? ['drifted', 'contested'] : [kind];
  return { entries: drifts.flatMap((one) => entriesOf(one, kinds)), ...rest };
}
