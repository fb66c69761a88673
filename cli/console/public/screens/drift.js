import { actionButton, copyButton, field, select } from '../actions.js';
import { get, pagesOf } from '../api.js';
import { counted, facts, h, hrefOf, showItems, tableRow } from '../dom.js';
import { shareBar } from '../drawings.js';
import { exportButtons } from '../exports.js';
import { growingList } from '../growing-list.js';
import { listTable } from '../list-table.js';
import { age } from '../times.js';
import { statePill } from '../words.js';
import { mountOverview } from './drift-overview.js';

const DIFFERENCES = '';
const KINDS = {
  [DIFFERENCES]: 'differences',
  contested: 'contested differences',
  'missing-product': 'listings without a product',
  'unknown-product': 'products without a listing',
};
const HEADINGS = {
  differences: ['Listing', 'Value', 'Wanted', 'Live', 'Since', 'State', 'Repair'],
  'missing-product': ['Listing', 'Since'],
  'unknown-product': ['Product', 'SKU', 'External ID'],
};

const ALL_STORES = '';

/**
 * What is live at the marketplace and is not the accepted value, as the listing-verifier has found it: of one store, or an
 * overview of all.
 */
export const drift = {
  title: 'Drift',
  count: ({ attention }) => contestedOf(attention).length,
  mount(place, { query }, { stores }) {
    const store = query.get('store') ?? ALL_STORES;
    const kind = query.get('kind') in KINDS ? query.get('kind') : DIFFERENCES;
    const names = new Set([...stores.map(({ storeClientId }) => storeClientId), ...(store && [store])]);
    place.append(searchForm(store, kind, [...names]));
    if (store === ALL_STORES) return mountOverview(place);
    const summary = h('div');
    const more = growingList();
    const path = `/drift/${encodeURIComponent(store)}`;
    const save = exportButtons({
      name: `drift-${store}`,
      columns: COLUMNS,
      pages: () => pagesOf(path, 'entries', { kind }),
    });
    const headings = HEADINGS[kind] ?? HEADINGS.differences;
    const rows = listTable(`Drift: ${KINDS[kind]}`, headings, { keyOf, build: entryRow, save });
    place.append(summary, ...rows.elements, more.element);
    return async ({ canWrite }) => {
      const { verification, entries, cursor } = await get(path, { kind, limit: more.limit });
      showItems(summary, [verification], { keyOf: () => store, build: (shown) => summaryCard(store, shown) });
      const contested = new Set(contestedIn(entries));
      const items = entries.map((entry) => ({
        ...entry,
        store,
        canWrite,
        // The repair is of all values of a listing.
        isContested: contested.has(entry.target),
      }));
      // A page of records may have none of this kind.
      const none =
        cursor !== undefined
          ? `Of what was read of ${store} nothing is among the ${KINDS[kind]}: \`connector drift list\` reads all.`
          : `${store} has no ${KINDS[kind]}.`;
      rows.show(items, none);
      more.show(`The first ${counted(entries.length, 'entry', 'entries')} are shown.`, cursor !== undefined);
    };
  },
};

const COLUMNS = {
  kind: (entry) => entry.kind,
  target: (entry) => entry.target,
  register: (entry) => entry.register,
  wanted: (entry) => entry.wanted,
  live: (entry) => entry.live,
  since: (entry) => entry.since,
  id: (entry) => entry.id,
  sku: (entry) => entry.sku,
  externalId: (entry) => entry.externalId,
};

function contestedIn(entries) {
  return entries.flatMap(({ kind, target }) => (kind === 'contested' ? [target] : []));
}

function contestedOf(attention) {
  return attention.filter(({ kind }) => kind === 'listing-contested');
}

function searchForm(store, kind, names) {
  const options = [[ALL_STORES, 'all stores'], ...names.map((name) => [name, name])];
  const controls = {
    store: select('store', options, store),
    kind: select('kind', Object.entries(KINDS), kind),
  };
  const onchange = () => {
    const chosen = controls.store.value;
    location.hash = hrefOf('drift', undefined, {
      ...(chosen !== ALL_STORES && { store: chosen }),
      ...(chosen !== ALL_STORES && controls.kind.value !== DIFFERENCES && { kind: controls.kind.value }),
    });
  };
  return h(
    'form',
    { class: 'fields', role: 'search', onchange, onsubmit: (event) => event.preventDefault() },
    field('Store', controls.store),
    store !== ALL_STORES && field('Show', controls.kind),
  );
}

function summaryCard(store, { lastCycle, cycle, verified }) {
  const listOf = (count, kind) =>
    count > 0 ? h('a', { href: hrefOf('drift', undefined, { store, ...(kind && { kind }) }) }, count) : count;
  const { listings, endedAt, drifted, missingProducts, unknownProducts } = lastCycle ?? {};
  return h(
    'section',
    { class: 'card', 'aria-label': 'Verification' },
    lastCycle === undefined && h('p', null, 'No whole cycle of the listing-verifier has ended yet.'),
    verified &&
      shareBar([
        [`% of the listings verified in the last ${verified.hours} hours`, verified.percent, 'ok'],
        ['% not', Math.round(10 * (100 - verified.percent)) / 10, 'rest'],
      ]),
    facts([
      ['Last whole cycle', endedAt && ['ended ', age(endedAt), ` ago, ${counted(listings, 'listing')}`]],
      ['Listings that differ', listOf(drifted)],
      ['Listings without a product', listOf(missingProducts, 'missing-product')],
      ['Products without a listing', listOf(unknownProducts, 'unknown-product')],
      [
        'Cycle in progress',
        cycle && [
          'began ',
          age(cycle.startedAt),
          ` ago: ${counted(cycle.pages, 'page')}, ${counted(cycle.verified, 'listing')}`,
        ],
      ],
    ]),
  );
}

function keyOf({ target, register, id }) {
  return id ?? `${target} ${register}`;
}

function entryRow({ store, canWrite, isContested, ...entry }) {
  const { kind, target, since } = entry;
  if (kind === 'unknown-product') {
    const { id, sku, externalId } = entry;
    return tableRow(HEADINGS[kind], [id, sku, externalId]);
  }
  const listing = h('a', { href: hrefOf('find', target, { store }) }, target);
  if (kind === 'missing-product') return tableRow(HEADINGS[kind], [listing, age(since)]);
  const { register, wanted, live, repairBegunAt, command } = entry;
  return tableRow(HEADINGS.differences, [
    listing,
    register,
    wanted ?? 'none',
    live ?? 'none',
    age(since),
    [statePill(kind), repairBegunAt && h('small', null, 'repair began ', age(repairBegunAt), ' ago')],
    h(
      'div',
      { class: 'actions' },
      repairButton({ store, target, register, isContested, canWrite }),
      copyButton(command),
    ),
  ]);
}

function repairButton({ store, target, register, isContested, canWrite }) {
  return actionButton({
    label: 'Repair',
    hint: `Repair ${register} of ${target}`,
    path: `/api/stores/${encodeURIComponent(store)}/drift/repair`,
    body: { targets: [target] },
    question: isContested ? 'Has the other source of this listing’s values stopped?' : undefined,
    canWrite,
    done: ({ repaired }) =>
      repaired.length === 0
        ? `Nothing is sent again: no accepted value of ${target} differs any more.`
        : {
            text: `The newest values of ${target} are sent again.`,
            href: hrefOf('find', target, { store }),
            label: 'Look at its history',
          },
  });
}
