import { jsonBytes, packAll } from '../../collections/packer.ts';
import { stepKey } from '../../commands/model.ts';
import type { StepRequest } from '../../commands/use-cases/run-step.ts';
import { BULK_OPERATIONS, type BulkOperation } from '../bulk-operations.ts';
import { type CommandPack, type CommandRow, MAX_PRODUCT_BYTES, type ProductShape } from '../model.ts';
import { originsOf } from '../rules/row-origins.ts';
import { sentRowsOf } from '../rules/sent-rows.ts';

/** Rows of one pack that fit one request. */
export interface BulkRequest {
  readonly pack: CommandPack;
  readonly operation: BulkOperation;
  /** Which part of the pack, the same at each delivery. */
  readonly part: string;
  readonly rows: readonly CommandRow[];
  /** Whether a request of these rows among others may have had an effect. Default `false`. */
  readonly uncertain?: boolean;
}

/** The requests that a pack's rows make, those of one shape together; the same at each delivery. */
export function requestsOf(
  { itemsPerRequest }: { readonly itemsPerRequest: number },
  pack: CommandPack,
  rows: Readonly<Record<ProductShape, readonly CommandRow[]>>,
): BulkRequest[] {
  const limits = { maxItems: itemsPerRequest, maxBytes: MAX_PRODUCT_BYTES };
  return (['simple', 'variants'] as const).flatMap((shape) =>
    packAll(rows[shape], limits, ({ product }) => jsonBytes(product)).map((some, index) => ({
      pack,
      operation: BULK_OPERATIONS[pack.detailType][shape],
      part: String(index),
      rows: some,
    })),
  );
}

/** The halves of a request that was refused as a whole; the first has the odd row. */
export function halvesOf<Request extends BulkRequest>(request: Request): [Request, Request] {
  const { rows, part } = request;
  const middle = Math.ceil(rows.length / 2);
  return [
    { ...request, part: `${part}.0`, rows: rows.slice(0, middle) },
    { ...request, part: `${part}.1`, rows: rows.slice(middle) },
  ];
}

/** The step that the request is, under its command, or its pack where it has rows of several. */
export function stepOf({ pack, operation, part, rows, uncertain }: BulkRequest): StepRequest {
  const { storeClientId, packId, retryOf } = pack;
  const { kind } = operation;
  const products = rows.map(({ product }) => product);
  const origins = originsOf(rows);
  return {
    key: stepKey(storeClientId, packId, `${kind}#${part}`),
    storeClientId,
    commandId: (origins === undefined ? rows[0]?.command.commandId : undefined) ?? packId,
    origins,
    kind,
    sent: products,
    rows: sentRowsOf(products),
    retryOf,
    uncertain,
  };
}
