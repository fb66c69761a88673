import { field, select, work, writing } from '../actions.js';
import { get } from '../api.js';
import { facts, h, hrefOf, link, pill, showItems, time } from '../dom.js';

const TONES = { good: 'ok', bad: 'bad', open: 'warn' };

/** The way of one event, command, batch, product or order: desired, sent, accepted, live. */
export const trace = {
  title: 'Trace',
  mount(place, { key, query }, { stores, canWrite }) {
    const found = h('div', { class: 'stack' });
    const note = h('p', { class: 'hint', role: 'status' });
    place.append(searchForm({ key, query, stores, canWrite }), note, found);
    const store = query.get('store') ?? '';
    return async () => {
      if (key === undefined) {
        note.textContent = 'Shows each step from a change to what is live, with times.';
        return;
      }
      const { traces } = await get('/trace', { id: key, store });
      note.textContent = traces.length === 0 ? noRecord(key) : '';
      showItems(found, traces, { keyOf: ({ title }) => JSON.stringify(title), build: timeline });
    };
  },
};

function searchForm({ key = '', query, stores, canWrite }) {
  const id = h('input', { name: 'id', value: key, required: true, autocomplete: 'off', spellcheck: 'false' });
  const names = stores.map(({ storeClientId }) => storeClientId);
  const store = select('store', [['', 'any store'], ...names], query.get('store') ?? '');
  const readLive = () =>
    work(async () => {
      await get('/trace', { id: id.value, store: store.value, live: true });
      document.dispatchEvent(new Event('changed'));
      return 'Read at the marketplace.';
    });
  const onsubmit = (event) => {
    event.preventDefault();
    location.hash = hrefOf('trace', id.value.trim(), store.value === '' ? {} : { store: store.value });
  };
  return h(
    'form',
    { class: 'fields', role: 'search', onsubmit },
    field('Event, command, batch, order or SKU', id),
    field('Store', store),
    h(
      'div',
      { class: 'actions' },
      h('button', { type: 'submit' }, 'Trace'),
      key !== '' &&
        h(
          'button',
          { type: 'button', class: 'plain', onclick: readLive, ...writing(canWrite) },
          'Read what is live',
        ),
    ),
  );
}

function noRecord(id) {
  return `No record of ${id}: it was not received, still waits in its queue, or its record has expired.`;
}

function timeline({ title, steps }) {
  return h(
    'section',
    { class: 'card' },
    facts(title),
    h(
      'ol',
      { class: 'timeline' },
      steps.map(({ at, after, what, facts: words, batchId }) =>
        h(
          'li',
          null,
          h('span', { class: 'when' }, time(at), ' ', h('small', null, after)),
          h('b', null, what),
          h(
            'span',
            { class: 'words' },
            words.map(({ text, tone }) => [tone === undefined ? text : pill(text, TONES[tone]), ' ']),
            batchId && link('batches', batchId, `batch ${batchId.slice(0, 8)}…`),
          ),
        ),
      ),
    ),
  );
}
