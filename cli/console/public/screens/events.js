import { actionButton, field, select, work, writing } from '../actions.js';
import { get, send } from '../api.js';
import { block, counted, h, hrefOf, link, pill, showItems } from '../dom.js';
import { shortTime } from '../times.js';

/** The events on the bus as they happen; send one, and send one again. */
export const events = {
  title: 'Events',
  mount(place, { query }, state) {
    const { canWrite } = state;
    const note = h('p', { class: 'hint', role: 'status' });
    const listen = actionButton({
      label: 'Listen',
      path: '/events/listen',
      canWrite,
      done: () => 'Listening until the console ends.',
    });
    const list = h('ul', { class: 'events', 'aria-label': 'Events' });
    place.append(h('div', { class: 'actions' }, listen, note), list, sendForm(state, query));
    return async () => {
      const { isListening, events: shown, error } = await get('/events');
      listen.hidden = isListening;
      const idle = 'Listening adds a queue and a rule to the stack until the console ends.';
      note.textContent =
        error?.message ?? (isListening ? `Listening: ${counted(shown.length, 'event')}.` : idle);
      showItems(
        list,
        shown.map((event) => ({ ...event, canWrite })),
        { keyOf: ({ sequence }) => sequence, build: eventEntry },
      );
    };
  },
};

function eventEntry({ id, time: at, direction, detailType, detail, canWrite }) {
  const isIn = direction === 'in';
  return h(
    'li',
    null,
    h(
      'details',
      null,
      h(
        'summary',
        null,
        pill(direction, isIn ? 'info' : 'ok'),
        ' ',
        h('b', null, detailType),
        ' ',
        h('small', null, detail.storeClientId && [detail.storeClientId, ' · '], shortTime(at)),
      ),
      block(`Detail of ${id}`, detail),
      h(
        'div',
        { class: 'actions' },
        isIn && link('find', id, 'History'),
        isIn &&
          actionButton({
            label: 'Send it again',
            path: '/events',
            body: { detailType, detail },
            canWrite,
            done: sentAs,
          }),
      ),
    ),
  );
}

function sentAs({ eventId }) {
  return { text: `Sent as ${eventId}.`, href: hrefOf('find', eventId), label: 'Look at its history' };
}

/** Each type's smallest detail, to be changed. */
const EXAMPLES = {
  'stock.changed': { items: [{ sku: 'DEMO-1', stock: 5 }] },
  'price.changed': { items: [{ sku: 'DEMO-1', price: 99000 }] },
  'order.decision.requested': { items: [{ orderId: '', decision: 'accept' }] },
  'order.dropoff.requested': { items: [{ orderId: '' }] },
  'order.document.requested': { orderId: '', document: 'shipping-label' },
};

function sendForm({ stores, choices, canWrite }, query) {
  const storeClientId = stores[0]?.storeClientId ?? '';
  const detailOf = (type) => JSON.stringify({ storeClientId, ...EXAMPLES[type] }, null, 2);
  const type = select('detailType', choices.eventTypes, query.get('type') ?? 'stock.changed');
  const detail = h('textarea', { name: 'detail', rows: 8, spellcheck: 'false' });
  detail.value = detailOf(type.value);
  type.addEventListener('change', () => {
    detail.value = detailOf(type.value);
  });
  const sent = h('p', { class: 'hint' });
  const onsubmit = (event) => {
    event.preventDefault();
    return work(async () => {
      const body = { detailType: type.value, detail: JSON.parse(detail.value) };
      const { eventId } = await send('/events', body);
      sent.replaceChildren('Sent: ', h('a', { href: hrefOf('find', eventId) }, eventId));
      return sentAs({ eventId });
    });
  };
  return h(
    'form',
    { class: 'card', 'aria-label': 'Send an event', onsubmit },
    h('h2', null, 'Send an event'),
    field('Type', type),
    field('Detail (JSON)', detail),
    h(
      'div',
      { class: 'actions' },
      h('button', { type: 'submit', class: 'primary', ...writing(canWrite) }, 'Send'),
      sent,
    ),
  );
}
