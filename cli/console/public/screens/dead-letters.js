import { actionButton, commandLine } from '../actions.js';
import { get } from '../api.js';
import { block, counted, facts, h, link, pill, showItems } from '../dom.js';
import { age } from '../times.js';
import { QUEUES } from '../words.js';

/** The dead-letter queues, and the messages of one with their bodies. */
export const deadLetters = {
  title: 'Dead letters',
  count: ({ queues }) => queues.reduce((sum, queue) => sum + queue.deadLetters, 0),
  mount(place, { key }) {
    const list = h('ul', { class: 'cards', 'aria-label': 'Dead-letter queues' });
    const nothing = h('p', { class: 'empty' }, 'No queue has dead letters.');
    const letters = key === undefined ? undefined : lettersOf(key);
    place.append(nothing, list, ...(letters === undefined ? [] : [letters.element]));
    return async (state) => {
      const filled = state.queues.filter((queue) => queue.deadLetters > 0);
      nothing.hidden = filled.length > 0;
      showItems(
        list,
        filled.map(({ topic, deadLetters: count }) => ({ topic, count, canWrite: state.canWrite })),
        { keyOf: ({ topic }) => topic, build: queueCard },
      );
      await letters?.update(state);
    };
  },
};

function queueCard({ topic, count, canWrite }) {
  return h(
    'li',
    { class: 'card' },
    h(
      'h2',
      null,
      link('dead-letters', topic, QUEUES[topic] ?? topic),
      ' ',
      pill(counted(count, 'message'), 'bad'),
    ),
    h(
      'div',
      { class: 'actions' },
      actionButton({
        label: 'Redrive',
        path: `/dead-letters/${encodeURIComponent(topic)}/redrive`,
        canWrite,
        done: ({ moved, to }) => ({
          text: `Moved ${moved} to ${to}.`,
          href: '#/flow',
          label: 'Look at the flow',
        }),
      }),
    ),
  );
}

/** The messages of a queue. They are read again when their number changes: each read counts as a receive. */
function lettersOf(queue) {
  const heading = h('h2', null, 'Messages');
  const list = h('ul', { class: 'cards', 'aria-label': 'Messages' });
  const command = h('div');
  let shownCount;
  return {
    element: h('section', { class: 'stack' }, heading, list, command),
    async update({ queues }) {
      const count = queues.find(({ topic, name }) => topic === queue || name === queue)?.deadLetters;
      if (count === shownCount && count !== undefined) return;
      const {
        letters,
        topic,
        name,
        command: words,
      } = await get(`/dead-letters/${encodeURIComponent(queue)}`);
      shownCount = count ?? letters.length;
      const all = Math.max(shownCount, letters.length);
      const some = letters.length < all ? `, ${letters.length} of them are shown` : '';
      heading.textContent = `${QUEUES[topic] ?? topic}: ${counted(all, 'message')}${some}`;
      showItems(list, letters, { keyOf: ({ messageId }) => messageId, build: letterCard });
      command.replaceChildren(h('p', { class: 'hint' }, `Queue ${name}`), commandLine(words));
    },
  };
}

function letterCard({ messageId, sentAt, received, eventId, detailType, storeClientId, body }) {
  return h(
    'li',
    { class: 'card' },
    h('h3', null, detailType ?? 'Message'),
    facts([
      ['Store', storeClientId],
      ['Sent', sentAt && [age(sentAt), ' ago']],
      ['Received', received !== undefined && counted(received, 'time')],
      ['Event', eventId && link('find', eventId)],
      ['Message', messageId],
    ]),
    block(`Body of ${messageId}`, body),
  );
}
