import type { BatchKind, BatchRecord } from '../batches/model.ts';
import { answeredRows } from '../batches/rules/answered-rows.ts';
import { ALREADY_EXISTS } from '../batches/rules/batch-record.ts';
import { recordSubmission } from '../batches/use-cases/record-batch.ts';
import { noteRequest } from '../batches/use-cases/summaries-by-rows.ts';
import { definedOf } from '../collections/defined-of.ts';
import { jsonBytes } from '../collections/packer.ts';
import { isObject } from '../collections/parse-json.ts';
import type { SimpleProduct, VariantProduct } from '../marketplace/product-request.ts';
import { reportRejections } from '../rejections/use-cases/report-rejections.ts';
import type { Domain } from '../requests/domain.ts';
import type { RequestRecord } from '../requests/model.ts';
import { type CommandFault, identifiersIn, rejectionsOf } from '../requests/rules/rejection.ts';
import { queueCreated } from './created-products.ts';
import {
  type BulkCommand,
  type GivenProduct,
  MAX_PRODUCT_BYTES,
  type ProductShape,
  shapeOf,
} from './model.ts';
import type { ProductPorts } from './ports.ts';
import { checkProduct } from './rules/check-product.ts';
import { planRows } from './rules/plan-rows.ts';
import {
  type AnsweredBatch,
  answeredBatchSchema,
  faultOfRequest,
  submissionOf,
  unknownBatchOf,
} from './rules/request-batch.ts';

/** The kind of batch for a command's products, by their shape. */
const KIND_OF = {
  'catalog.sync.requested': { simple: 'catalog-sync', variants: 'catalog-variants-sync' },
  'product.create.requested': { simple: 'product-create', variants: 'product-create-variants' },
} as const satisfies Record<BulkCommand['detailType'], Record<ProductShape, BatchKind>>;

/** The call that begins a batch (§4.3 – 4.6). */
const CALL_OF = {
  'catalog-sync': 'syncCatalog',
  'catalog-variants-sync': 'syncVariantCatalog',
  'product-create': 'createProducts',
  'product-create-variants': 'createVariantProducts',
} as const;

/** The ledger's functions for syncs and creations of products (§4.3 – 4.6). */
export function createBulkRequests(
  ports: ProductPorts,
): Pick<Domain<BulkCommand>, 'plan' | 'send' | 'apply'> {
  const readRow = (value: unknown, { detailType }: BulkCommand) => {
    const item = isObject(value) ? value : {};
    return {
      kind: KIND_OF[detailType][shapeOf(item)],
      item,
      names: identifiersIn(item, ['sku', 'externalId']),
      fault: isObject(value) ? faultOf(value) : NOT_OBJECT,
    };
  };
  return {
    plan: (commands) => planRows(commands, ({ products }) => products, readRow, ports.itemsPerRequest),

    send: async ({ record, items, store }, recordAttempt) => {
      const call = CALL_OF[record.kind as keyof typeof CALL_OF];
      // All products of a request have the shape of its kind. The client checks the whole request again.
      const products = items as (SimpleProduct & VariantProduct)[];
      await noteRequest(ports.batches, record);
      const answer = await ports.calls[call](store, { products }, { onAttempt: recordAttempt });
      const now = ports.clock.now();
      return {
        ...definedOf({ batchId: answer.batchId, requestId: answer.requestId }),
        ...answeredRows(record.rows, answer),
        submittedAt: new Date(now).toISOString(),
        deadlineAt: new Date(now + ports.batchDeadlineMs).toISOString(),
        endsBy: record.commands[0]?.detailType === 'catalog.sync.requested' ? 'summary' : 'answer',
      } satisfies AnsweredBatch;
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
  message: 'the row is not a JSON object, nests more than 100 levels deep, or has a member twice',
};

function faultOf(product: GivenProduct): CommandFault | undefined {
  if (jsonBytes(product) > MAX_PRODUCT_BYTES) {
    return { code: 'ROW_TOO_LARGE', message: `the row is larger than ${MAX_PRODUCT_BYTES} bytes` };
  }
  return checkProduct(product);
}

/** The batch of a request. If the outcome must be read back, this is a new batch. */
function batchOf({ attemptLifetimeMs }: ProductPorts, record: RequestRecord) {
  const { state, fault } = record;
  if (state === 'answered') return submissionOf(record, answeredBatchSchema.parse(record.answer));
  if (state === 'refused' && fault?.code === ALREADY_EXISTS) {
    // An earlier try created the product.
    const at = record.touchedAt;
    return submissionOf(record, { submittedAt: at, deadlineAt: at, rejectedRows: [], endsBy: 'answer' });
  }
  return unknownBatchOf(record, attemptLifetimeMs);
}
