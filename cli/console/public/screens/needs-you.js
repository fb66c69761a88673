import { actionButton, commandLine } from '../actions.js';
import { h, hrefOf, link, showItems } from '../dom.js';
import { age } from '../times.js';
import { ATTENTION } from '../words.js';

/** What waits for a person: what, why, since when, the button that ends it, and the same as a command. */
export const needsYou = {
  title: 'Needs you',
  count: (state) => state.attention.length,
  mount(place) {
    const nothing = h('p', { class: 'empty' }, 'Nothing needs you.');
    const more = h('p', { class: 'hint' });
    const list = h('ul', { class: 'cards' });
    place.append(nothing, list, more);
    return (state) => {
      nothing.hidden = state.attention.length > 0 || state.error !== undefined;
      more.textContent = moreOf(state.more);
      showItems(
        list,
        state.attention.map((entry) => ({ ...entry, canWrite: state.canWrite })),
        { keyOf: ({ kind, call }) => `${kind} ${call}`, build: card },
      );
    };
  },
};

/** Kinds with more entries than are shown. */
function moreOf(kinds) {
  return kinds.length === 0
    ? ''
    : `There is more than is shown: ${kinds.map((kind) => ATTENTION[kind]).join(', ')}.`;
}

function card({ kind, storeClientId, since, why, actions, command, call, canWrite }) {
  return h(
    'li',
    { class: 'card' },
    h('h2', null, ATTENTION[kind]),
    h('p', { class: 'hint' }, storeClientId && `${storeClientId} · `, 'for ', age(since)),
    h('p', null, why),
    h(
      'div',
      { class: 'actions' },
      actions.map((action, index) =>
        actionButton({
          ...action,
          canWrite,
          tone: index === 0 && 'primary',
          done: (answer) => doneText(kind, answer),
        }),
      ),
      lookLink(kind, storeClientId, actions[0]),
    ),
    commandLine(command ?? call),
  );
}

/** Leads to the screen that has the facts, and the ways out that a person seldom takes. */
function lookLink(kind, storeClientId, { path = '', body } = {}) {
  const id = decodeURIComponent(path.split('/').at(-2) ?? '');
  const store = { store: storeClientId };
  const of = {
    'dead-letters': () => link('dead-letters', id, 'Look at them'),
    'batch-unresolved': () => link('batches', id, 'Look at its rows'),
    'order-unknown': () => {
      const name = body.orderId ?? body.invoiceNumber;
      return h('a', { href: hrefOf('orders', name, store) }, 'Look at the order');
    },
    'listing-contested': () => h('a', { href: hrefOf('drift', undefined, store) }, 'Look at the differences'),
    'import-held': () =>
      h('a', { href: hrefOf('imports', undefined, { storeClientId }) }, 'Look at the file'),
    'store-suspended': () => link('stores', undefined, 'Look at the store'),
    'prices-held': () => link('stores', undefined, 'Look at the store'),
  }[kind];
  return of?.();
}

function doneText(kind, { moved, to }) {
  return kind === 'dead-letters' ? `Moved ${moved} to ${to}.` : 'Done.';
}
