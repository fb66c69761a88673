import { actionButton, commandLine } from '../actions.js';
import { age, h, link, showItems } from '../dom.js';
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
      more.textContent = state.more.length === 0 ? '' : 'There is more of the same kinds.';
      showItems(
        list,
        state.attention.map((entry) => ({ ...entry, canWrite: state.canWrite })),
        { keyOf: ({ kind, call }) => `${kind} ${call}`, build: card },
      );
    };
  },
};

function card({ kind, storeClientId, since, why, action, command, call, canWrite }) {
  const queue = kind === 'dead-letters' && /dead-letters\/([^/]+)\//.exec(action?.path ?? '')?.[1];
  const batch = kind === 'batch-unresolved' && /\/batches\/([^/]+)\//.exec(action?.path ?? '')?.[1];
  return h(
    'li',
    { class: 'card' },
    h('h2', null, ATTENTION[kind]),
    h('p', { class: 'hint' }, storeClientId && `${storeClientId} · `, 'for ', age(since)),
    h('p', null, why),
    h(
      'div',
      { class: 'actions' },
      action && actionButton({ ...action, canWrite, done: (answer) => doneText(kind, answer) }),
      queue && link('dead-letters', decodeURIComponent(queue), 'Look at them'),
      batch && link('batches', decodeURIComponent(batch), 'Look at its rows'),
    ),
    commandLine(command ?? call),
  );
}

function doneText(kind, { moved, to }) {
  return kind === 'dead-letters' ? `Moved ${moved} to ${to}.` : 'Done.';
}
