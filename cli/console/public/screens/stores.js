import { actionButton, field } from '../actions.js';
import { h, hrefOf, tableRow } from '../dom.js';
import { listTable } from '../list-table.js';
import { age } from '../times.js';
import { statePill } from '../words.js';

const HEADINGS = ['Store', 'State', 'Since', 'Names', 'Work', 'To do'];

const NO_STORE = 'No store is connected: `connector stores connect` begins an onboarding.';

/** The stores and their states. */
export const stores = {
  title: 'Stores',
  count: ({ stores: all }) => all.filter(({ state }) => state === 'suspended').length,
  mount(place) {
    const keyOf = ({ storeClientId }) => storeClientId;
    const rows = listTable('Stores', HEADINGS, { keyOf, build: storeRow });
    const name = h('input', { type: 'search', name: 'name', autocomplete: 'off', spellcheck: 'false' });
    const onsubmit = (event) => event.preventDefault();
    const oninput = () => document.dispatchEvent(new Event('changed'));
    const filter = h('form', { class: 'fields', role: 'search', onsubmit, oninput }, field('Store', name));
    place.append(filter, ...rows.elements);
    return ({ stores: all, attention, canWrite }) => {
      const held = new Set(
        attention.filter(({ kind }) => kind === 'prices-held').map(({ storeClientId }) => storeClientId),
      );
      const shown = all.filter(({ storeClientId }) => storeClientId.includes(name.value.trim()));
      rows.show(
        shown.map((store) => ({ ...store, isHeld: held.has(store.storeClientId), canWrite })),
        all.length === 0 ? NO_STORE : 'No store has a name like this.',
      );
    };
  },
};

function storeRow({ storeClientId, state, stateReason, updatedAt, names, isHeld, canWrite }) {
  const button = (label, name, question) =>
    actionButton({
      label,
      path: `/api/stores/${encodeURIComponent(storeClientId)}/${name}`,
      question,
      canWrite,
      done: () => 'Done.',
    });
  const open = (screen, text) => h('a', { href: hrefOf(screen, undefined, { storeClientId }) }, text);
  return tableRow(HEADINGS, [
    h('b', { class: 'name', title: storeClientId }, storeClientId),
    [statePill(state), stateReason && h('small', null, stateReason)],
    age(updatedAt),
    [names.products, h('small', null, names.orders)],
    h(
      'div',
      { class: 'actions' },
      h('a', { href: hrefOf('orders', undefined, { store: storeClientId }) }, 'Orders'),
      open('batches', 'Batches'),
      open('imports', 'Imports'),
      open('rejections', 'Rejections'),
      h('a', { href: hrefOf('drift', undefined, { store: storeClientId }) }, 'Drift'),
    ),
    (state === 'suspended' || isHeld) &&
      h(
        'div',
        { class: 'actions' },
        state === 'suspended' && [
          h('a', { href: hrefOf('needs-you') }, 'Give a new token'),
          button('Resume', 'resume'),
        ],
        isHeld && button('Send the held prices', 'release', 'Send the prices as they are?'),
      ),
  ]);
}
