import * as z from 'zod';
import { healthSchema } from '../../shared/health/model.ts';
import { type ReadHealthPorts, readHealth } from '../../shared/health/use-cases/report-health.ts';
import { searchSchema } from '../../shared/search/model.ts';
import type { SearchPorts } from '../../shared/search/ports.ts';
import { search } from '../../shared/search/use-cases/search.ts';
import { idSchema, type Route, route } from './route.ts';

/** A target has at most 1,024 bytes. */
const LONGEST_WORD = 1_024;

interface SearchRoutesPorts extends SearchPorts, ReadHealthPorts {
  /** The items of the limit, see `limitIdsOf`. */
  readonly limitIds: readonly string[];
}

/** What a word names, and whether the marketplace answers. */
export function searchRoutes(ports: SearchRoutesPorts): Route[] {
  return [
    route(
      'GET /search',
      {
        summary:
          'What a word names: a SKU (or its beginning), externalId, product ID, order ID, invoice number, or the ID of an event, a command, a batch, a request or a file, or the name of a file or a store',
        query: z.strictObject({
          q: z.string().trim().min(1).max(LONGEST_WORD),
          /** Default: all stores. */
          storeClientId: idSchema.optional(),
        }),
        answers: { 200: searchSchema },
      },
      async ({ query: { q, storeClientId } }) => search(ports, q, storeClientId),
    ),

    route(
      'GET /health',
      {
        summary:
          'Whether the marketplace answers, as all functions together see it: last success, failures of the last minutes, last code, since when',
        answers: { 200: healthSchema },
      },
      async () => readHealth(ports, ports.limitIds),
    ),
  ];
}
