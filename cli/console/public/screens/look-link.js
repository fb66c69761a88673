import { h, hrefOf } from '../dom.js';

/** Leads to the screen that has the facts of what waits for a person. */
export function lookLink({ kind, storeClientId, remedies }) {
  const { path = '', body = {} } = remedies.find(({ button }) => button !== undefined)?.button ?? {};
  const id = decodeURIComponent(path.split('/').at(-2) ?? '');
  const store = { store: storeClientId };
  const [text, href] =
    {
      'dead-letters': () => ['Look at them', hrefOf('dead-letters', id)],
      'batch-unresolved': () => ['Look at its rows', hrefOf('batches', id)],
      'order-unknown': () => [
        'Look at the order',
        hrefOf('orders', body.orderId ?? body.invoiceNumber, store),
      ],
      'listing-contested': () => ['Look at the differences', hrefOf('drift', undefined, store)],
      'import-held': () => ['Look at the file', hrefOf('imports', undefined, { storeClientId })],
      'import-failed': () => ['Look at its rejected rows', hrefOf('imports', undefined, { storeClientId })],
      'store-suspended': () => ['Look at the store', hrefOf('stores')],
      'prices-held': () => ['Look at the store', hrefOf('stores')],
    }[kind]?.() ?? [];
  return href && h('a', { href }, text);
}
