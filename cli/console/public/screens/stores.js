import { actionButton } from '../actions.js';
import { age, h, hrefOf, showItems, tableHead, tableRow } from '../dom.js';
import { statePill } from '../words.js';

const HEADINGS = ['Store', 'State', 'Since', 'Names', 'Work'];

/** The stores and their states. */
export const stores = {
  title: 'Stores',
  count: (state) => state.stores.length,
  mount(place) {
    const body = h('tbody');
    const nothing = h(
      'p',
      { class: 'empty' },
      'No store is connected: `connector stores connect` begins an onboarding.',
    );
    const rows = h('table', { 'aria-label': 'Stores' }, tableHead(HEADINGS), body);
    place.append(rows, nothing);
    return ({ stores: all, attention, canWrite }) => {
      const held = new Set(
        attention.filter(({ kind }) => kind === 'prices-held').map(({ storeClientId }) => storeClientId),
      );
      rows.hidden = all.length === 0;
      nothing.hidden = all.length > 0;
      showItems(
        body,
        all.map((store) => ({ ...store, isHeld: held.has(store.storeClientId), canWrite })),
        { keyOf: ({ storeClientId }) => storeClientId, build: storeRow },
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
    h('b', null, storeClientId),
    [statePill(state), stateReason && h('small', null, stateReason)],
    age(updatedAt),
    `${names.products}, ${names.orders}`,
    h(
      'div',
      { class: 'actions' },
      state === 'suspended' && button('Resume', 'resume'),
      isHeld && button('Send the held prices', 'release', 'Send the prices as they are?'),
      open('batches', 'Batches'),
      open('imports', 'Imports'),
    ),
  ]);
}
