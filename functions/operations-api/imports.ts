import * as z from 'zod';
import type { ImportTable } from '../../shared/imports/ports.ts';
import {
  discardImport,
  type OperateImportPorts,
  releaseImport,
} from '../../shared/imports/use-cases/operate-import.ts';
import { type ShowImportPorts, showImport } from '../../shared/imports/use-cases/show-import.ts';
import { type ImportView, importViewSchema } from '../../shared/imports/view.ts';
import { HttpError } from '../../shared/lambda/http-handler.ts';
import { notationSchema } from '../../shared/stores/notation.ts';
import { idSchema, pageOf, pageQuery, type Route, route, wholeNumber } from './route.ts';

/** The notation for reading ambiguous rows. Empty if the hold has another reason. */
const releaseBody = z
  .strictObject(notationSchema.shape)
  .partial()
  .refine((body) => Object.keys(body).length === 0 || notationSchema.safeParse(body).success, {
    path: ['thousands'],
    message: 'must differ from decimal, and be given with it',
  });

export interface ImportRoutesPorts extends OperateImportPorts, ShowImportPorts {
  readonly imports: Pick<ImportTable, 'get' | 'list' | 'update'>;
}

/** Most files per page. It is low because all commands of each file are read. */
const MOST_FILES = 50;

const importQuery = z.strictObject({
  ...pageQuery,
  /** Default: all stores. `-` for files whose key names no store. */
  storeClientId: idSchema.optional(),
  limit: wholeNumber(z.int().min(1).max(MOST_FILES).default(10)),
});

const importPath = z.object({ importId: idSchema });

/** Files of the import bucket, and the outcome of their rows. */
export function importRoutes(ports: ImportRoutesPorts): Route[] {
  const { imports } = ports;
  return [
    route(
      'GET /imports',
      {
        summary:
          'Files of the import bucket, the newest first: those of all stores, or of `storeClientId`, which is `-` for files whose key names no store',
        query: importQuery,
        answers: { 200: pageOf({ imports: z.array(importViewSchema) }) },
      },
      async ({ query: { storeClientId, ...page } }) => {
        const { imports: files, ...rest } = await imports.list(storeClientId, page);
        const shown: ImportView[] = [];
        for (const file of files) shown.push(await showImport(ports, file));
        return { imports: shown, ...rest };
      },
    ),

    route(
      'GET /imports/{importId}',
      {
        summary:
          'A file with its batches and its numbers of rows read, sent, accepted, rejected by code, open',
        path: importPath,
        answers: { 200: importViewSchema },
      },
      async ({ path: { importId } }) => {
        const file = await imports.get(importId);
        if (file === undefined) throw new HttpError(404, 'IMPORT_UNKNOWN', `no import ${importId}`);
        return showImport(ports, file);
      },
    ),

    route(
      'POST /imports/{importId}/release',
      {
        summary:
          'Releases a held import: the stock of the listings that its file does not name becomes 0, or the rows whose numbers are ambiguous are read by `decimal` and `thousands`',
        path: importPath,
        body: releaseBody.optional(),
        answers: { 202: importViewSchema },
      },
      async ({ path: { importId }, body }) => {
        const notation = notationSchema.safeParse(body).data;
        return showImport(ports, await releaseImport(ports, importId, notation));
      },
    ),

    route(
      'POST /imports/{importId}/discard',
      {
        summary:
          'Discards the hold of an import: no stock becomes 0, and rows whose numbers are ambiguous stay rejected. The other rows of its file are kept. A file that failed is left as it is, and waits for no one',
        path: importPath,
        answers: { 200: importViewSchema },
      },
      async ({ path: { importId } }) => showImport(ports, await discardImport(ports, importId)),
    ),
  ];
}
