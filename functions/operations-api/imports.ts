import { z } from 'zod';
import { type ImportTable, type ImportView, importViewSchema } from '../../shared/imports/model.ts';
import { type ShowImportPorts, showImport } from '../../shared/imports/use-cases/show-import.ts';
import { HttpError } from '../../shared/lambda/http-handler.ts';
import { pageOf, pageQuery, type Route, route } from './route.ts';

export interface ImportRoutesPorts {
  readonly imports: Pick<ImportTable, 'get' | 'list'>;
  readonly rejections: ShowImportPorts['rejections'];
  readonly ledger: Omit<ShowImportPorts, 'rejections'>;
}

/** Most files per page: for each file all its commands are read. */
const MOST_FILES = 50;

const importQuery = z.strictObject({
  ...pageQuery,
  /** `-` for files whose key names no store. */
  storeClientId: z.string().min(1).max(200),
  limit: z.coerce.number().int().min(1).max(MOST_FILES).default(10),
});

/** Files of the import bucket, and the outcome of their rows. */
export function importRoutes({ imports, rejections, ledger }: ImportRoutesPorts): Route[] {
  const ports = { ...ledger, rejections };
  return [
    route(
      'GET /imports',
      {
        summary:
          'Files of the import bucket, the newest first. `storeClientId` is `-` for files outside of `catalog/{storeClientId}/`',
        query: importQuery,
        answers: { 200: pageOf({ imports: z.array(importViewSchema) }) },
      },
      async ({ query: { storeClientId, ...page } }) => {
        const { imports: files, ...rest } = await imports.list(storeClientId, page);
        const shown: ImportView[] = [];
        for (const file of files) shown.push(await showImport(ports, file));
        return { status: 200, body: { imports: shown, ...rest } };
      },
    ),

    route(
      'GET /imports/{importId}',
      {
        summary:
          'A file with its batches and its numbers of rows read, sent, accepted, rejected by code, open',
        path: z.object({ importId: z.string().min(1).max(200) }),
        answers: { 200: importViewSchema },
      },
      async ({ path: { importId } }) => {
        const file = await imports.get(importId);
        if (file === undefined) throw new HttpError(404, 'IMPORT_UNKNOWN', `no import ${importId}`);
        return { status: 200, body: await showImport(ports, file) };
      },
    ),
  ];
}
