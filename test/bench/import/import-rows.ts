import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import type { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { createProductCommandQueue } from '../../../shared/aws/event-queues.ts';
import { createQueueSender } from '../../../shared/aws/queue-sender.ts';
import type { ImportRecord } from '../../../shared/imports/model.ts';
import { importCatalogFile } from '../../../shared/products/use-cases/import-catalog-file.ts';
import { inMemoryImportTable } from '../../doubles/in-memory-import-table.ts';
import { directly } from '../../doubles/step.ts';
import { VersionedItems } from '../../doubles/versioned-items.ts';
import { csvCatalog, ndjsonCatalog } from '../../run/catalog.ts';
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
    file: { type: 'string' },
  },
});
const path = values.file;
const rows = Number(values.rows);
const [header = '', row = ''] =
  values.format === 'csv'
    ? csvCatalog(1).split('\n')
    : [values.format === 'json' ? '[' : '', ndjsonCatalog(1).trimEnd()];
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

const items = new VersionedItems<ImportRecord>();
const made = { products: 0, commands: new Set<string>(), calls: 0, messages: 0 };
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
const queue = createProductCommandQueue(createQueueSender(sqs, 'https://queue.example'));

const ports = {
  files: {
    open: async (_: object, start: number) =>
      path === undefined ? Readable.from(bytesFrom(start)) : createReadStream(path, { start }),
  },
  stores: { get: async (storeClientId: string) => ({ storeClientId }) as never },
  queue: {
    sendSyncs: async (messages: Parameters<typeof queue.sendSyncs>[0]) => {
      for (const { commandId, products } of messages) {
        made.commands.add(commandId);
        made.products += products.length;
      }
      sections += 1;
      await queue.sendSyncs(messages);
      peakHeapBytes = Math.max(peakHeapBytes, process.memoryUsage().heapUsed);
    },
  },
  rejections: { putAll: async () => {} },
  events: { publish: async () => {} },
  imports: inMemoryImportTable(directly, items),
  // Its time is the number of sections, so that the parts are equal.
  clock: { now: () => sections },
};
const file = {
  bucket: 'imports',
  key: `catalog/s-1/a.${values.format}`,
  etag: 'e-1',
  time: '2026-11-21T08:00:00Z',
  eventId: 'event-1',
};
const sectionsPerPart = Math.ceil(rows / 1000 / Number(values.parts));
const started = performance.now();
const cpuBefore = cpuMs();
for (let isRead = false; !isRead; parts += 1) {
  const stopAt = sections + sectionsPerPart;
  const result = await importCatalogFile(ports, file, { stopAt, goOn: async () => {} });
  isRead = result?.isRead ?? true;
}
console.log(
  JSON.stringify({
    fileBytes,
    products: made.products,
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
