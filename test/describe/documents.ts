import { join } from 'node:path';
import { createRoutes, type RoutesPorts } from '../../functions/operations-api/routes.ts';
import { publishedDocuments } from '../../shared/api-description/published.ts';

/** Where the published documents are checked in. */
export const generatedDirectory = join(
  import.meta.dirname,
  '..',
  '..',
  'shared',
  'api-description',
  'generated',
);

/** Routes that can be described and not called: no port is behind them but what their schemas need. */
export function describedRoutes() {
  const sizes = { itemsPerRequest: 100 };
  return createRoutes({ ...sizes, ledger: sizes } as unknown as RoutesPorts);
}

/** Every published document, by its path below the directory. */
export function currentDocuments(): Readonly<Record<string, unknown>> {
  return publishedDocuments(describedRoutes());
}
