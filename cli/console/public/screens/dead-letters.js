import { actionButton, commandLine, field, work, writing } from '../actions.js';
import { get, send } from '../api.js';
import { block, counted, facts, h, hrefOf, link, pill, showItems } from '../dom.js';
import { age } from '../times.js';
import { QUEUES } from '../words.js';

/** The dead-letter queues, and the messages of one with their bodies. */
export const deadLetters = {
  title: 'Dead letters',
  count: ({ queues }) => queues.reduce((sum, queue) => sum + queue.deadLetters, 0),
  mount(place, { key }, { canWrite }) {
    const list = h('ul', { class: 'cards', 'aria-label': 'Dead-letter queues' });
    const nothing = h('p', { class: 'empty' }, 'No queue has dead letters.');
    const letters = key === undefined ? undefined : lettersOf(key, canWrite);
    place.append(nothing, list, ...(letters === undefined ? [] : [letters.element]));
    return async (state) => {
      const filled = state.queues.filter((queue) => queue.deadLetters > 0);
      nothing.hidden = filled.length > 0;
      showItems(
        list,
        filled.map(({ topic, deadLetters: count }) => ({ topic, count, canWrite })),
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
      h('p', null, 'The cause is corrected: send them again'),
      actionButton({
        label: 'Redrive',
        path: `/dead-letters/${encodeURIComponent(topic)}/redrive`,
        canWrite,
        done: ({ moved, to, hidden }) => ({
          text: `Moved ${moved} to ${to}.${hidden > 0 ? ` A reader hides ${hidden} for seconds: redrive again then.` : ''}`,
          href: hrefOf('flow'),
          label: 'Look at the flow',
        }),
      }),
    ),
  );
}

/** The messages of a queue. They are read again when their number changes: each read counts as a receive. */
function lettersOf(queue, canWrite) {
  const heading = h('h2', null, 'Messages');
  const list = h('ul', { class: 'cards', 'aria-label': 'Messages' });
  const command = h('div');
  const deletion = deleteForm(list, canWrite);
  let shownCount;
  return {
    element: h('section', { class: 'stack' }, heading, deletion.element, list, command),
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
      deletion.of(name, letters.length);
      command.replaceChildren(h('p', { class: 'hint' }, `Queue ${name}`), commandLine(words));
    },
  };
}

/** Deletes the chosen messages, with a reason that their histories keep. */
function deleteForm(list, canWrite) {
  const reason = h('input', { name: 'reason', maxlength: 250, required: true, autocomplete: 'off' });
  let queue;
  const chosen = () => [...list.querySelectorAll('input:checked')].map(({ value }) => value);
  const onsubmit = (event) => {
    event.preventDefault();
    return work(async () => {
      const messageIds = chosen();
      if (messageIds.length === 0) throw new Error('Choose the messages first.');
      const path = `/api/dead-letters/${encodeURIComponent(queue)}/delete`;
      const { deleted } = await send(path, { messageIds, reason: reason.value });
      reason.value = '';
      return {
        text: `Deleted ${counted(deleted.length, 'message')}; each is in the rejections with the reason.`,
        href: hrefOf('rejections', undefined, { code: 'DEAD_LETTER_DELETED' }),
        label: 'Look at them',
      };
    });
  };
  const chooseAll = () => {
    for (const box of list.querySelectorAll('input[type=checkbox]')) box.checked = true;
  };
  const element = h(
    'form',
    { class: 'card', 'aria-label': 'Delete messages', hidden: true, onsubmit },
    h('p', null, 'A message can never be processed: choose it below, and delete it with a reason.'),
    field('Reason (kept in its history)', reason),
    h(
      'div',
      { class: 'actions' },
      h('button', { type: 'submit', ...writing(canWrite) }, 'Delete the chosen messages'),
      h('button', { type: 'button', class: 'link', onclick: chooseAll }, 'Choose all that are shown'),
    ),
  );
  return {
    element,
    of(name, count) {
      queue = name;
      element.hidden = count === 0;
    },
  };
}

function letterCard({ messageId, sentAt, received, eventId, detailType, storeClientId, body }) {
  const box = h('input', { type: 'checkbox', value: messageId });
  return h(
    'li',
    { class: 'card' },
    h('h3', null, h('label', { class: 'choice' }, box, ' ', detailType ?? 'Message')),
    facts([
      ['Store', storeClientId],
      ['Sent', sentAt && [age(sentAt), ' ago']],
      // A look at the message counts too.
      ['Received', received !== undefined && `${counted(received, 'time')}, looks included`],
      ['Event', eventId && link('find', eventId)],
      ['Message', h('span', { class: 'id' }, messageId)],
    ]),
    block(`Body of ${messageId}`, body),
  );
}
