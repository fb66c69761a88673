import { html } from 'hono/html';
import type { Batch } from '../batches/batch.ts';
import type { Marketplace } from '../state/marketplace.ts';
import type { Order } from '../state/order.ts';
import { aggregateStock, leadingVariant, type Product } from '../state/product.ts';
import type { RequestEntry, SignatureTrace } from '../state/request-log.ts';
import type { Store } from '../state/store.ts';
import { curlExample } from './curl-example.ts';

/** How many of each kind the page shows, the newest first. */
const SHOWN = 50;

/** The state of the sandbox for people: every client author's first look. */
export function overviewPage(marketplace: Marketplace, sandboxUrl: string) {
  const stores = [...marketplace.stores.values()];
  const batches = newest([...marketplace.batches.values()]);
  const requests = newest(marketplace.requests.since(0));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Sandbox marketplace</title>
<style>
  body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem; }
  table { border-collapse: collapse; margin-bottom: 1.5rem; }
  th, td { border-bottom: 1px solid #ddd; padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top; }
  pre { background: #f5f5f5; margin: 0; padding: .5rem; white-space: pre-wrap; word-break: break-all; }
</style>
</head>
<body>
<h1>Sandbox marketplace</h1>
<p>API below <code>${sandboxUrl}/api/v1</code>, described by <a href="/openapi.json">openapi.json</a>. A signed call:</p>
<pre>${curlExample(sandboxUrl)}</pre>
<h2>Recent requests</h2>
${table(
  ['#', 'Time', 'Request', 'Store', 'Rows', 'Answer'],
  requests.map((entry) => requestRow(entry, marketplace.requests.traceOf(entry))),
)}
<h2>Stores</h2>
${table(['Store', 'Partner', 'State', 'Warehouses', 'Products'], stores.map(storeRow))}
<h2>Batches</h2>
${table(['Batch', 'Kind', 'Store', 'Rows', 'Failed', 'State', 'Summary deliveries'], batches.map(batchRow))}
<h2>Orders</h2>
${table(['Order', 'Invoice', 'Store', 'Status', 'Decisions', 'Dropoffs'], newest(marketplace.orders).map(orderRow))}
<h2>Products</h2>
${table(
  ['Store', 'SKU', 'Name', 'External ID', 'Price', 'Stock'],
  stores.flatMap((store) => newest(store.catalog.all()).map((product) => productRow(store, product))),
)}
</body>
</html>`;
}

type Markup = ReturnType<typeof html>;

function newest<T>(list: T[]): T[] {
  return list.slice(-SHOWN).reverse();
}

function table(headings: string[], rows: Markup[]): Markup {
  return html`<table><thead><tr>${headings.map((heading) => html`<th>${heading}</th>`)}</tr></thead><tbody>${rows}</tbody></table>`;
}

function row(cells: unknown[]): Markup {
  return html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;
}

function requestRow(entry: RequestEntry, trace: SignatureTrace | undefined): Markup {
  const { sequence, time, method, path, query, storeClientId, items, status, errorCode } = entry;
  const cells = row([
    sequence,
    time,
    `${method} ${path}${query && `?${query}`}`,
    storeClientId,
    items,
    `${status ?? 'none'} ${errorCode ?? ''}`,
  ]);
  return trace === undefined ? cells : html`${cells}${traceRow(trace)}`;
}

function traceRow({ hint, sent, baseString }: SignatureTrace): Markup {
  return html`<tr><td></td><td colspan="5"><p>${hint}</p><table><tr><th>Sent</th><th>Base string that the server computed</th></tr><tr><td><pre>${sent}</pre></td><td><pre>${baseString}</pre></td></tr></table></td></tr>`;
}

function storeRow({ clientId, partnerClientId, state, blocked, warehouses, catalog }: Store): Markup {
  return row([
    clientId,
    partnerClientId,
    blocked ? 'blocked' : state,
    warehouses.map((warehouse) => warehouse.clientId).join(', '),
    catalog.size,
  ]);
}

function batchRow(batch: Batch): Markup {
  const failed = (batch.result ?? batch).errors.length;
  const state = batch.result ? 'applied' : 'waiting';
  return row([
    batch.batchId,
    batch.kind,
    batch.storeClientId,
    batch.total,
    failed,
    state,
    batch.deliveries.join('; '),
  ]);
}

function orderRow({ orderId, invoiceNumber, storeClientId, subStatus, decisions, dropoffs }: Order): Markup {
  return row([orderId, invoiceNumber, storeClientId, subStatus, decisions.length, dropoffs.length]);
}

function productRow(store: Store, product: Product): Markup {
  const { price } = leadingVariant(product)?.offer ?? product.offer;
  const sku = product.sku ?? product.variants.map((variant) => variant.sku).join(', ');
  return row([
    store.clientId,
    sku,
    product.attributes.name,
    product.externalId,
    price,
    aggregateStock(product),
  ]);
}
