import { actionButton } from '../actions.js';
import { h, table } from '../dom.js';
import { time } from '../times.js';

/** Erases what this stack has of an order, and says what that was and what is left. `names`: the fields that may have its name. */
export function erasureOf({ store, order, names, canWrite }) {
  const result = h('div', { role: 'status' });
  const button = actionButton({
    label: 'Erase the order',
    path: `/api/stores/${encodeURIComponent(store)}/orders/erase`,
    body: Object.fromEntries(names.map((name) => [name, order])),
    question: `Erase the documents, records and rejections of ${order}? This cannot be taken back. A decision or document that is asked for again is sent or fetched again.`,
    canWrite,
    done: (erasure) => {
      result.replaceChildren(...resultOf(erasure));
      return `Erased what could be erased of ${order}.`;
    },
  });
  return h(
    'section',
    { class: 'card', 'aria-label': 'Personal data' },
    h('h2', null, 'Personal data'),
    h(
      'p',
      { class: 'hint' },
      'Erases the documents of the order, what was done with it, and its rejections.',
    ),
    h('div', { class: 'actions' }, button),
    result,
  );
}

function resultOf({ erased: { documents, records, rejections }, left }) {
  const rows = [
    ...documents.map((key) => ['document', key]),
    ...records.map((key) => ['record', key]),
    ...rejections.map((id) => ['rejection', id]),
  ];
  return [
    rows.length === 0
      ? h('p', null, 'Nothing was found under this name.')
      : table('Erased', ['Erased', 'Name'], rows),
    table(
      'May be left',
      ['May be left in', 'What', 'Gone by'],
      left.map(({ where, what, goneBy }) => [where, what, time(goneBy)]),
    ),
  ];
}
