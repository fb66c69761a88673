import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';

/**
 * The marketplace of the comparison, in a process of its own: it answers each bulk request after the same time, refuses
 * those beyond its limit, and knows which values are to be the last. It checks no signatures.
 */
const { values } = parseArgs({
  options: {
    latencyMs: { type: 'string', default: '50' },
    requestsPerSecond: { type: 'string', default: '5' },
  },
});
const latencyMs = Number(values.latencyMs);
const requestsPerSecond = Number(values.requestsPerSecond);

/** What the bench asks for, over IPC. */
export type MarketplaceOrder =
  | { readonly newest: readonly (readonly [register: string, value: number])[] }
  | { readonly look: true };

/** What the marketplace has received since the last `newest`. */
export interface MarketplaceView {
  readonly requests: number;
  readonly refused: number;
  readonly rows: number;
  /** Registers whose last value is not the newest. */
  readonly wrong: number;
  /** Values that came after a newer one of their register. */
  readonly stepsBack: number;
  /** Epoch ms of the last request's arrival. */
  readonly lastAt: number;
}

const shown = new Map<string, number>();
let newest = new Map<string, number>();
const nothing = { requests: 0, refused: 0, rows: 0, wrong: 0, stepsBack: 0, lastAt: 0 };
let view = { ...nothing };
/** Epoch ms of the requests of the last second. */
let recent: number[] = [];
let batches = 0;

process.on('message', (order: MarketplaceOrder) => {
  if ('newest' in order) {
    newest = new Map(order.newest);
    view = { ...nothing, wrong: newest.size };
  }
  process.send?.(view);
});

function apply(register: string, value: number): void {
  const before = shown.get(register);
  const expected = newest.get(register);
  if (before !== undefined && value < before) view.stepsBack += 1;
  if (before !== expected && value === expected) view.wrong -= 1;
  if (before === expected && value !== expected) view.wrong += 1;
  shown.set(register, value);
}

interface Row {
  readonly sku: string;
  readonly stock?: number;
  readonly price?: number;
}

function answerBulk(items: readonly Row[]): object {
  for (const { sku, stock, price } of items) {
    if (stock !== undefined) apply(`stock ${sku}`, stock);
    if (price !== undefined) apply(`price ${sku}`, price);
  }
  view.rows += items.length;
  batches += 1;
  return {
    success: true,
    requestId: `request-${batches}`,
    data: {
      batchId: `batch-${process.pid}-${batches}`,
      summary: { total: items.length, failed: 0, pending: 0 },
      acceptedRows: items.map(({ sku }, rowIndex) => ({ rowIndex, sku })),
      errors: [],
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const now = Date.now();
  const isBulk = request.method === 'PATCH';
  recent = recent.filter((at) => at > now - 1000);
  const isRefused = isBulk && recent.length >= requestsPerSecond;
  if (isBulk && !isRefused) recent.push(now);
  if (isBulk) {
    view.requests += 1;
    view.lastAt = now;
  }
  if (isRefused) view.refused += 1;
  await pause(latencyMs);
  response.setHeader('content-type', 'application/json');
  if (isRefused) {
    response.statusCode = 429;
    response.setHeader('retry-after', '1');
    response.end(JSON.stringify({ success: false, error: { code: 'RATE_LIMITED', message: 'too many' } }));
    return;
  }
  response.end(JSON.stringify(isBulk ? answerBulk(JSON.parse(body).items) : { success: true, data: [] }));
}

const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
