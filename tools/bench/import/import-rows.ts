import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import type { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { csvCatalog, ndjsonCatalog } from '../../../local/run/catalog.ts';
import { createFileRowQueue } from '../../../shared/aws/event-queues.ts';
import { createQueueSender } from '../../../shared/aws/queue-sender.ts';
import type { ImportRecord } from '../../../shared/imports/model.ts';
import type { FileEvent } from '../../../shared/imports/ports.ts';
import { importFile } from '../../../shared/imports/use-cases/import-file.ts';
import { inMemoryImportTable } from '../../../test/doubles/in-memory-import-table.ts';
import { inMemoryReadingPlaces } from '../../../test/doubles/in-memory-reading-places.ts';
import { directly } from '../../../test/doubles/step.ts';
import { VersionedItems } from '../../../test/doubles/versioned-items.ts';
import { cpuMs } from '../interleaved.ts';

/**
 * Imports a file in several parts and prints what it took as JSON. Without `--file` the file is generated. It runs in a
 * process of its own, whose heap is limited: where the import held more of the file than a few rows, the process would end.
 */
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    format: { type: 'string', default: 'ndjson' },
    parts: { type: 'string', default: '4' },
    kind: { type: 'string', default: 'catalog' },
    file: { type: 'string' },
  },
});
const path = values.file;
const rows = Number(values.rows);
const [csv, json] =
  values.kind === 'catalog'
    ? [csvCatalog(1), ndjsonCatalog(1).trimEnd()]
    : ['sku,stock,occurredAt\nSHIRT-1,5,2026-11-20T08:00:00Z', '{"sku":"SHIRT-1","stock":5}'];
const [header = '', row = ''] =
  values.format === 'csv' ? csv.split('\n') : [values.format === 'json' ? '[' : '', json];
const separator = values.format === 'json' ? ',\n' : '\n';
const prefix = header === '' ? '' : `${header}\n`;
const line = `${row}${separator}`;
const fileBytes = prefix.length + rows * line.length - separator.length + (values.format === 'json' ? 1 : 0);

/** The file from a byte on; every row is as long as the others. */
function* bytesFrom(firstByte: number): Generator<Buffer> {
  if (firstByte < prefix.length) yield Buffer.from(prefix.slice(firstByte));
  let position = Math.max(0, firstByte - prefix.length);
  const block = Buffer.from(line.repeat(200));
  const end = rows * line.length - separator.length;
  while (position < end) {
    const from = position % line.length;
    const piece = block.subarray(from, Math.min(block.length, from + end - position));
    yield piece;
    position += piece.length;
  }
  if (values.format === 'json' && firstByte < fileBytes) yield Buffer.from(']');
}

const rowsSchema = z.array(z.unknown()).default([]);
const detailSchema = z.object({ products: rowsSchema, items: rowsSchema });
const items = new VersionedItems<ImportRecord>();
const made = { rows: 0, commands: new Set<string>(), calls: 0, messages: 0 };
let peakHeapBytes = 0;
let parts = 0;
let sections = 0;

/** SQS, which only counts. */
const sqs = {
  send: async ({ input: { Entries = [] } }: SendMessageBatchCommand) => {
    made.calls += 1;
    made.messages += Entries.length;
    return {};
  },
} as unknown as SQSClient;
const sender = createQueueSender(sqs, 'https://queue.example');
const queue = createFileRowQueue({ productCommands: sender, changes: sender });

const ports = {
  files: {
    metadata: async () => ({}),
    open: async (_: object, start: number) =>
      path === undefined ? Readable.from(bytesFrom(start)) : createReadStream(path, { start }),
  },
  stores: {
    get: async (storeClientId: string) =>
      ({ storeClientId, names: { products: 'sku', orders: 'orderId' } }) as never,
  },
  queue: {
    send: async (events: readonly FileEvent[]) => {
      for (const { id, detail } of events) {
        made.commands.add(id);
        const { products, items } = detailSchema.parse(detail);
        made.rows += products.length + items.length;
      }
      sections += 1;
      await queue.send(events);
      peakHeapBytes = Math.max(peakHeapBytes, process.memoryUsage().heapUsed);
    },
  },
  rejections: { putAll: async () => {} },
  events: { publish: async () => {} },
  imports: inMemoryImportTable(directly, items),
  readingPlaces: inMemoryReadingPlaces(),
  importQueue: { send: async () => {} },
  reports: { putPart: async () => {}, join: async () => 'report' },
  storeListings: { stockPage: async () => ({ listings: [] }) },
  // Its time is the number of sections, so that the parts are equal.
  clock: { now: () => sections },
};
const file = {
  bucket: 'imports',
  key: `${values.kind}/s-1/a.${values.format}`,
  etag: 'e-1',
  time: '2026-11-21T08:00:00Z',
  eventId: 'event-1',
};
const sectionsPerPart = Math.ceil(rows / 1000 / Number(values.parts));
const started = performance.now();
const cpuBefore = cpuMs();
for (let isRead = false; !isRead; parts += 1) {
  const stopAt = sections + sectionsPerPart;
  const result = await importFile(ports, file, {
    stopAt,
    endsAt: Number.POSITIVE_INFINITY,
    goOn: async () => {},
  });
  isRead = result?.isRead ?? true;
}
console.log(
  JSON.stringify({
    fileBytes,
    rowsSent: made.rows,
    commands: made.commands.size,
    calls: made.calls,
    messages: made.messages,
    cpuMs: Math.round(cpuMs() - cpuBefore),
    parts,
    reading: items.all()[0]?.reading,
    peakHeapMb: Math.round(peakHeapBytes / 1e6),
    peakResidentMb: Math.round(process.resourceUsage().maxRSS / 1000),
    rowsPerSecond: Math.round(rows / ((performance.now() - started) / 1000)),
  }),
);
