import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { AnnouncedFile } from '../ports.ts';
import { type FileKindName, fileKindNames } from '../rules/file-kinds.ts';
import { FileFault, type FileFormat } from './row.ts';

/** S3's event "Object Created" on the default event bus. The key in it is not URL-encoded. */
export const objectCreatedSchema = z
  .looseObject({
    id: z.string().min(1),
    time: z.iso.datetime({ offset: true }),
    'detail-type': z.literal('Object Created'),
    detail: z.looseObject({
      bucket: z.looseObject({ name: z.string().min(1) }),
      object: z.looseObject({
        key: z.string().min(1),
        etag: z.string().min(1),
        'version-id': z.string().optional(),
        sequencer: z.string().optional(),
      }),
    }),
  })
  .transform(
    ({ id, time, detail: { bucket, object } }): AnnouncedFile => ({
      eventId: id,
      time,
      bucket: bucket.name,
      key: object.key,
      etag: object.etag,
      versionId: object['version-id'],
      sequencer: object.sequencer,
    }),
  );

const KEY =
  /^(?<dryRun>dry-run\/)?(?<kind>catalog|stock|prices)\/(?<storeClientId>[^/]{1,200})\/(?<name>.*[^/])$/s;
/** The folder `dry-run` at a wrong place: the person who put the file there wanted no row to be sent. */
const DRY_RUN_BEHIND = /.\/dry[-_ ]?run\//i;
const FULL = 'full/';
/** The folder `full` at a wrong place: the person who put the file there wanted the rest of the stock to become 0. */
const FULL_ELSEWHERE = /(?:^|\/)full\//i;
const KINDS = fileKindNames.join(', ');
/** The types of file that are read, in words. */
export const FILE_TYPES = '.ndjson, .json or .csv, with or without .gz';
const EXTENSION = /\.(?<format>ndjson|json|csv)(?<gzip>\.gz)?$/i;

/** A key without a kind counts as a file of this kind, and is rejected later. */
const KIND_OF_OTHERS = 'catalog';

/** The facts in the folders of a key. */
export interface FilePlace {
  readonly kind: FileKindName;
  /** `undefined` for a key that names no kind and store. */
  readonly storeClientId: string | undefined;
  /** Whether rows are only checked. */
  readonly isDryRun: boolean;
  /** Whether the stock of each listing that no row names becomes 0. */
  readonly isFull: boolean;
}

export interface FileType {
  readonly format: FileFormat;
  readonly gzip: boolean;
}

/**
 * The type of a file by its key, `[dry-run/]{catalog,stock,prices}/{storeClientId}/….{ndjson,json,csv}[.gz]`.
 *
 * @param key the object's key, not URL-encoded.
 * @throws {FileFault} FILE_KEY_INVALID, FILE_TYPE_UNKNOWN
 */
export function readImportKey(key: string): FileType {
  if (placeOfKey(key).storeClientId === undefined) {
    throw new FileFault(
      'FILE_KEY_INVALID',
      `the key must be {kind}/{storeClientId}/… and end in ${FILE_TYPES}; kind is ${KINDS}, or one of them after dry-run/`,
    );
  }
  if (DRY_RUN_BEHIND.test(key)) {
    throw new FileFault('FILE_KEY_INVALID', 'dry-run/ must be the first folder of the key: nothing was sent');
  }
  const { kind, name = '' } = KEY.exec(key)?.groups ?? {};
  if (kind === 'stock' && !name.startsWith(FULL) && FULL_ELSEWHERE.test(name)) {
    const message = 'full/ must be the first folder behind the store, in lower case: nothing was sent';
    throw new FileFault('FILE_KEY_INVALID', message);
  }
  const type = typeOfFile(key);
  if (type === undefined) throw new FileFault('FILE_TYPE_UNKNOWN', typeFault(key));
  return type;
}

const WORKBOOK = /\.(xlsx?|xlsm|xlsb|ods|numbers)(\.gz)?$/i;

/** Why a file with this name is not read. */
export function typeFault(name: string): string {
  const workbook = WORKBOOK.exec(name)?.[1];
  return workbook === undefined
    ? `the name must end in ${FILE_TYPES}`
    : `a .${workbook} file is a workbook and not read: save its sheet as "CSV UTF-8 (comma delimited)" (File, Save As or Export) and put the .csv`;
}

/** The type of a file by the end of its name; `undefined` for a type that is not read. */
export function typeOfFile(name: string): FileType | undefined {
  const { format, gzip } = EXTENSION.exec(name)?.groups ?? {};
  return format === undefined
    ? undefined
    : { format: format.toLowerCase() as FileFormat, gzip: gzip !== undefined };
}

/** Whether a key belongs to an empty folder: S3's console makes an object to show one. */
export function isFolder(key: string): boolean {
  return key.endsWith('/');
}

/** Reads the folders of a key. Does not check the file's type. */
export function placeOfKey(key: string): FilePlace {
  const { kind = KIND_OF_OTHERS, storeClientId, dryRun, name } = KEY.exec(key)?.groups ?? {};
  return {
    kind: kind as FileKindName,
    storeClientId,
    isDryRun: dryRun !== undefined,
    isFull: kind === 'stock' && name?.startsWith(FULL) === true,
  };
}

/** ID of the import of one put of an object. Redeliveries of the event give the same ID; another put gives another ID. */
export function importIdOf(file: Omit<AnnouncedFile, 'time' | 'eventId'>): string {
  const { bucket, key, etag, versionId, sequencer = '' } = file;
  const facts = JSON.stringify([bucket, key, versionId ?? etag, sequencer]);
  return createHash('sha256').update(facts).digest('hex').slice(0, 32);
}
