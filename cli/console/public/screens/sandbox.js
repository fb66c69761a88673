import { actionButton, field, select, work, writing } from '../actions.js';
import { send } from '../api.js';
import { h, hrefOf } from '../dom.js';

/** What goes wrong, by its name on the screen. */
const FAULTS = {
  'Cut the connection after the effect': { drop: 'after' },
  'Cut the connection before the effect': { drop: 'before' },
  'Answer 503': { status: 503 },
  'Answer 429 with Retry-After 5 s': { retryAfter: 5 },
  'Answer 5 s late': { delayMs: 5000 },
  'Break the body of the answer': { malformed: true },
  'Lose the final summary': { webhook: 'drop' },
  'Send the final summary twice': { webhook: 'duplicate' },
};
const PATHS = [
  ['*', 'any path'],
  ['/partner/stores/inventory', 'stock'],
  ['/partner/stores/products/prices', 'prices'],
  ['/partner/stores/orders/decisions', 'decisions'],
  ['/partner/stores/orders/dropoffs', 'dropoffs'],
];

/** The sandbox marketplace of the local run: orders, and what goes wrong. */
export const sandbox = {
  title: 'Sandbox',
  isShown: (state) => state?.sandboxUrl !== undefined,
  mount(place, _route, { sandboxUrl, stores, canWrite }) {
    place.append(
      h(
        'p',
        null,
        'The marketplace of this local run. Its own page shows each request: ',
        h('a', { href: `${sandboxUrl}/sandbox`, target: '_blank', rel: 'noreferrer' }, 'open it'),
        '.',
      ),
      orderForm(stores, canWrite),
      faultForm(canWrite),
    );
    return () => {};
  },
};

function orderForm(stores, canWrite) {
  const store = select(
    'store',
    stores.map(({ storeClientId }) => storeClientId),
  );
  const subStatus = select('status', ['pending', 'confirmed', 'waiting_drop_off', 'delivered']);
  const made = h('p', { class: 'hint' });
  const onsubmit = (event) => {
    event.preventDefault();
    return work(async () => {
      const body = { storeClientId: store.value, subStatus: subStatus.value };
      const { orderId, invoiceNumber } = await send('/sandbox/orders', body);
      made.replaceChildren(
        'Made: ',
        h('a', { href: hrefOf('orders', orderId, { store: store.value }) }, orderId),
      );
      return {
        text: `Made ${invoiceNumber}.`,
        href: hrefOf('orders', orderId, { store: store.value }),
        label: 'Look at it',
      };
    });
  };
  return h(
    'form',
    { class: 'card', 'aria-label': 'Make an order', onsubmit },
    h('h2', null, 'Make an order, as a buyer does'),
    field('Store', store),
    field('Status', subStatus),
    h(
      'div',
      { class: 'actions' },
      h('button', { type: 'submit', class: 'primary', ...writing(canWrite) }, 'Make the order'),
      made,
    ),
  );
}

function faultForm(canWrite) {
  const fault = select('fault', Object.keys(FAULTS));
  const path = select('path', PATHS);
  const times = h('input', { name: 'times', type: 'number', min: 1, value: 1 });
  const onsubmit = (event) => {
    event.preventDefault();
    return work(async () => {
      const body = { path: path.value, times: Number(times.value), fault: FAULTS[fault.value] };
      await send('/sandbox/faults', body);
      return `Set for the next requests: ${times.value}.`;
    });
  };
  return h(
    'form',
    { class: 'card', 'aria-label': 'Set a fault', onsubmit },
    h('h2', null, 'Set a fault'),
    field('Fault', fault),
    field('Requests of', path),
    field('Times', times),
    h(
      'div',
      { class: 'actions' },
      h('button', { type: 'submit', ...writing(canWrite) }, 'Set the fault'),
      actionButton({
        label: 'Clear all faults',
        path: '/sandbox/faults',
        method: 'DELETE',
        canWrite,
        done: () => 'Cleared.',
      }),
    ),
  );
}
