import { get } from '../api.js';
import { counted, h, hrefOf, tableRow } from '../dom.js';
import { growingList } from '../growing-list.js';
import { listTable } from '../list-table.js';
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
  const keyOf = ({ storeClientId }) => storeClientId;
  const rows = listTable('Drift of all stores', HEADINGS, { keyOf, build: storeRow });
  const more = growingList();
  place.append(...rows.elements, more.element);
  return async () => {
    const { stores, cursor } = await get('/api/drift', { limit: more.limit });
    const shown = stores.toSorted((one, other) => one.storeClientId.localeCompare(other.storeClientId));
    rows.show(shown, 'No store is connected.');
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
