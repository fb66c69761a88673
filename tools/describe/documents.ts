import { join } from 'node:path';
import { createRoutes, type RoutesPorts } from '../../functions/operations-api/routes.ts';
import { publishedDocuments } from './published.ts';

/** The folder of the published documents. */
export const generatedDirectory = join(
  import.meta.dirname,
  '..',
  '..',
  'shared',
  'api-description',
  'generated',
);

/** Routes that can be described but not called: they have only the settings that their schemas need. */
export function describedRoutes() {
  return createRoutes({ itemsPerRequest: 100 } as RoutesPorts);
}

/** Every published document, by its path below the directory. */
export function currentDocuments(): Readonly<Record<string, unknown>> {
  return publishedDocuments(describedRoutes());
}
