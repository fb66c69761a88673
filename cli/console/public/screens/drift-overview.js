import { get } from '../api.js';
import { counted, h, hrefOf, showItems, tableHead, tableRow } from '../dom.js';
import { growingList } from '../growing-list.js';
import { age } from '../times.js';

const HEADINGS = [
  'Store',
  'Last whole cycle',
  'Verified',
  'Listings that differ',
  'Listings without a product',
  'Products without a listing',
];

/** How far the verification of each store is: one call for a page of stores. Returns a function that shows it anew. */
export function mountOverview(place) {
  const body = h('tbody');
  const rows = h('table', { 'aria-label': 'Drift of all stores' }, tableHead(HEADINGS), body);
  const nothing = h('p', { class: 'empty' }, 'No store is connected.');
  const more = growingList();
  place.append(rows, nothing, more.element);
  return async () => {
    const { stores, cursor } = await get('/api/drift', { limit: more.limit });
    const shown = stores.toSorted((one, other) => one.storeClientId.localeCompare(other.storeClientId));
    showItems(body, shown, { keyOf: ({ storeClientId }) => storeClientId, build: storeRow });
    rows.hidden = stores.length === 0;
    nothing.hidden = stores.length > 0;
    more.show(`The first ${counted(stores.length, 'store')} are shown.`, cursor !== undefined);
  };
}

function storeRow({ storeClientId: store, verification: { lastCycle, verified } }) {
  const linked = (text, kind) => h('a', { href: hrefOf('drift', undefined, { store, ...kind }) }, text);
  const { endedAt, drifted, missingProducts, unknownProducts } = lastCycle ?? {};
  return tableRow(HEADINGS, [
    linked(store),
    endedAt === undefined ? 'none yet' : ['ended ', age(endedAt), ' ago'],
    verified && `${verified.percent} % in ${verified.hours} h`,
    drifted > 0 ? linked(drifted) : drifted,
    missingProducts > 0 ? linked(missingProducts, { kind: 'missing-product' }) : missingProducts,
    unknownProducts > 0 ? linked(unknownProducts, { kind: 'unknown-product' }) : unknownProducts,
  ]);
}
