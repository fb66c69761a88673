import type { BatchKind, BatchRecord } from '../batches/model.ts';
import { answeredRows } from '../batches/rules/apply-fact.ts';
import { ALREADY_EXISTS } from '../batches/rules/batch-record.ts';
import { type RecordBatchPorts, recordSubmission } from '../batches/use-cases/record-batch.ts';
import { definedOf } from '../collections/defined-of.ts';
import { jsonBytes } from '../collections/packer.ts';
import { isObject } from '../collections/parse-json.ts';
import type { BatchAnswer } from '../marketplace/batch.ts';
import type { MarketplaceClient } from '../marketplace/client.ts';
import type { SimpleProduct, VariantProduct } from '../marketplace/product-request.ts';
import { type ReportRejectionsPorts, reportRejections } from '../rejections/use-cases/report-rejections.ts';
import type { Domain } from '../requests/domain.ts';
import type { RequestRecord } from '../requests/model.ts';
import {
  type CommandFault,
  identifiersIn,
  RowRejections,
  rejectionsOf,
} from '../requests/rules/rejection.ts';
import { queueCreated } from './created-products.ts';
import { type BulkCommand, MAX_PRODUCT_BYTES, type Product, type ProductShape, shapeOf } from './model.ts';
import type { CreatedProductQueue } from './ports.ts';
import { checkProduct } from './rules/check-product.ts';
import { type RowOfKind, requestsOf } from './rules/plan-rows.ts';
import {
  type AnsweredBatch,
  answeredBatchSchema,
  faultOfRequest,
  submissionOf,
  unknownBatchOf,
} from './rules/request-batch.ts';

/** The calls of the marketplace that bulk commands make. */
type BulkCalls = Pick<
  MarketplaceClient,
  'syncCatalog' | 'syncVariantCatalog' | 'createProducts' | 'createVariantProducts'
>;

/** The kind of batch for a command's products, by their shape. */
const KIND_OF = {
  'catalog.sync.requested': { simple: 'catalog-sync', variants: 'catalog-variants-sync' },
  'product.create.requested': { simple: 'product-create', variants: 'product-create-variants' },
} as const satisfies Record<BulkCommand['detailType'], Record<ProductShape, BatchKind>>;

/** The call that begins a batch, and what ends the batch (§4.3 – 4.6; "Batches" in docs/architecture.md). */
const OPERATIONS = {
  'catalog-sync': { call: 'syncCatalog', endsBy: 'summary' },
  'catalog-variants-sync': { call: 'syncVariantCatalog', endsBy: 'summary' },
  'product-create': { call: 'createProducts', endsBy: 'answer' },
  'product-create-variants': { call: 'createVariantProducts', endsBy: 'answer' },
} as const;

/** @throws {RangeError} for a kind of request that creates no products. */
function operationOf(kind: string) {
  if (kind in OPERATIONS) return OPERATIONS[kind as keyof typeof OPERATIONS];
  throw new RangeError(`${kind} creates no products`);
}

export interface BulkRequestsPorts extends RecordBatchPorts, ReportRejectionsPorts {
  readonly changes: CreatedProductQueue;
  readonly clock: { now(): number };
  readonly calls: BulkCalls;
  /** Most products per request. */
  readonly itemsPerRequest: number;
  /** How long a batch may stay open, in milliseconds. */
  readonly batchDeadlineMs: number;
  /** Milliseconds after its signature within which a request lands, or never. */
  readonly attemptLifetimeMs: number;
}

/** The ledger's functions for syncs and creations of products (§4.3 – 4.6). */
export function createBulkRequests(
  ports: BulkRequestsPorts,
): Pick<Domain<BulkCommand>, 'plan' | 'send' | 'apply'> {
  return {
    plan: (commands) => {
      const good: RowOfKind<BulkCommand>[] = [];
      const rejections = new RowRejections();
      for (const command of commands) {
        const { products } = command;
        for (const [index, value] of products.entries()) {
          const item = isObject(value) ? value : {};
          const row = { command, index, item, names: identifiersIn(item, ['sku', 'externalId']) };
          const fault = isObject(value) ? faultOf(value) : NOT_OBJECT;
          const kind = KIND_OF[command.detailType][shapeOf(item)];
          if (fault === undefined) good.push({ kind, ...row });
          else rejections.add(command, products.length, { index, ...row.names }, fault);
        }
      }
      return { requests: requestsOf(good, ports.itemsPerRequest), rejections: rejections.all };
    },

    send: async ({ record, items, store }, recordAttempt) => {
      const { call } = operationOf(record.kind);
      // The plan puts only the kind's shape into a request; the client checks the whole request again.
      const products = items as (SimpleProduct & VariantProduct)[];
      const answer = await ports.calls[call](store, { products }, { onAttempt: recordAttempt });
      return readAnswer(ports, record, answer);
    },

    apply: async (record, items = []) => {
      const { state, fault, uncertain } = record;
      if (state === 'refused' && fault !== undefined && !uncertain)
        return reportRejections(
          ports,
          rejectionsOf(record, () => faultOfRequest(fault)),
        );
      const onEnd = (batch: BatchRecord) => queueCreated(ports, batch, items);
      await recordSubmission({ ...ports, onEnd }, batchOf(ports, record));
    },
  };
}

const NOT_OBJECT: CommandFault = {
  code: 'ROW_NOT_OBJECT',
  message: 'the row is not a JSON object, or nests more than 100 levels deep',
};

function faultOf(product: Product): CommandFault | undefined {
  if (jsonBytes(product) > MAX_PRODUCT_BYTES) {
    return { code: 'ROW_TOO_LARGE', message: `the row is larger than ${MAX_PRODUCT_BYTES} bytes` };
  }
  return checkProduct(product);
}

function readAnswer(
  { clock, batchDeadlineMs }: BulkRequestsPorts,
  { kind, rows }: RequestRecord,
  answer: BatchAnswer,
): AnsweredBatch {
  const now = clock.now();
  return {
    ...definedOf({ batchId: answer.batchId, requestId: answer.requestId }),
    ...answeredRows(rows, answer),
    submittedAt: new Date(now).toISOString(),
    deadlineAt: new Date(now + batchDeadlineMs).toISOString(),
    endsBy: operationOf(kind).endsBy,
  };
}

/** The batch of a request, or a new one if its outcome must be read back. */
function batchOf({ attemptLifetimeMs }: BulkRequestsPorts, record: RequestRecord) {
  const { state, fault } = record;
  if (state === 'answered') return submissionOf(record, answeredBatchSchema.parse(record.answer));
  if (state === 'refused' && fault?.code === ALREADY_EXISTS) {
    // An earlier try created it.
    const at = record.touchedAt;
    return submissionOf(record, { submittedAt: at, deadlineAt: at, rejectedRows: [], endsBy: 'answer' });
  }
  return unknownBatchOf(record, attemptLifetimeMs);
}
