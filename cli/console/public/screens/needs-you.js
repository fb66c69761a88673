import { counted, h, hrefOf, link, pill, showItems } from '../dom.js';
import { hasFailedLast } from '../health.js';
import { icon } from '../icons.js';
import { age, shortTime } from '../times.js';
import { ATTENTION, deferredCommands, SEVERITIES, triesText } from '../words.js';
import { lookLink } from './look-link.js';
import { remediesOf, remediesOfAll } from './remedies.js';

/** What waits for a person, the most harmful first: what, why, since when, and what can be done. */
export const needsYou = {
  title: 'Needs you',
  count: (state) => state.attention.length,
  mount(place) {
    const well = h('div');
    const more = h('p', { class: 'hint' });
    const list = h('ul', { class: 'cards' });
    const rejected = h('p', { class: 'hint' });
    place.append(well, list, more, rejected);
    return (state) => {
      const isEmpty =
        state.attention.length === 0 && state.error === undefined && state.checked !== undefined;
      const { checked, marketplace, openBatches, failing, stores, queues } = state;
      const connected = stores.filter((store) => store.state === 'connected').length;
      const deferred = deferredCommands(queues);
      const known = { checked, marketplace, openBatches, failing, deferred, connected };
      showItems(well, isEmpty ? [known] : [], {
        keyOf: () => 'well',
        build: wellCard,
      });
      more.textContent = moreOf(state.more);
      rejected.replaceChildren(...rejectedLine(state.rejections));
      showItems(list, groupsOf(state), { keyOf: ({ key }) => key, build: groupCard });
    };
  },
};

/** What was rejected needs the partner's systems, not the person here. */
function rejectedLine({ count, hasMore, codes } = { count: 0 }) {
  if (count === 0) return [];
  const named = Object.entries(codes).map(([code, times]) => `${code} ${times}`);
  const link = h('a', { href: hrefOf('rejections', undefined, { hours: 24 }) }, 'Look at them');
  return [
    `Rejections of events and requests of the last 24 hours: ${count}${hasMore ? '+' : ''} (${named.join(', ')}). `,
    link,
  ];
}

/** Kinds with more entries than are shown. */
function moreOf(kinds) {
  return kinds.length === 0
    ? ''
    : `There is more than is shown: ${kinds.map((kind) => ATTENTION[kind]).join(', ')}.`;
}

/** Entries of one kind that the same can be done about. */
function groupsOf({ attention, canWrite }) {
  const keyOf = ({ kind, remedies }) => `${kind} ${remedies.map(({ text }) => text).join(' ')}`;
  return [...Map.groupBy(attention, keyOf)].map(([key, entries]) => ({ key, entries, canWrite }));
}

/** Entries that are shown one by one; so few are at once. */
const ENTRIES_SHOWN = 100;
const FEW = 3;

function groupCard({ entries, canWrite }) {
  const [first] = entries;
  const { kind, severity, since, lookAt } = first;
  const { tone, word } = SEVERITIES[severity];
  const isOne = entries.length === 1;
  const shown = entries.slice(0, ENTRIES_SHOWN);
  return h(
    'li',
    { class: `card need ${tone}` },
    h(
      'h2',
      null,
      h('span', { class: `severity ${tone}` }, icon(tone), word),
      ' ',
      ATTENTION[kind],
      ' ',
      !isOne && pill(`${entries.length}`, tone),
    ),
    lookAt && h('p', null, h('b', null, 'First look at '), lookAt),
    isOne
      ? entry(first, canWrite)
      : [
          h('p', { class: 'hint' }, 'the oldest for ', age(since)),
          h(
            'details',
            { open: entries.length <= FEW },
            h('summary', null, `One by one: ${shown.length} of ${entries.length}`),
            h(
              'ul',
              null,
              shown.map((one) => h('li', { class: 'entry' }, entry(one, canWrite))),
            ),
          ),
          remediesOfAll(entries, canWrite),
        ],
  );
}

function entry(one, canWrite) {
  const { storeClientId, since, why } = one;
  return [
    h('p', null, why),
    h(
      'p',
      { class: 'hint' },
      storeClientId && `${storeClientId} · `,
      'since ',
      shortTime(since),
      ', for ',
      age(since),
      ' ',
      lookLink(one),
    ),
    remediesOf(one, canWrite),
  ];
}

/** Says that all is well, and how it knows. */
function wellCard({ checked, marketplace, openBatches, failing, deferred, connected }) {
  const isReached = ['healthy', 'idle'].includes(marketplace.state) && !hasFailedLast(marketplace);
  const isWell = isReached && failing.length === 0 && deferred === 0;
  const open = `${openBatches.count}${openBatches.hasMore ? '+' : ''}`;
  return h(
    'section',
    { class: `card well ${isWell ? 'ok' : 'warn'}` },
    icon(isWell ? 'ok' : 'warn'),
    h('h2', null, isWell ? 'All is well. Nothing needs you.' : 'Nothing needs you.'),
    h(
      'ul',
      null,
      !isReached &&
        h('li', null, 'The marketplace does not answer as it should: what waits is sent when it does.'),
      failing.map(({ storeClientId, tries }) =>
        h(
          'li',
          null,
          `${storeClientId}: its requests of stock and prices fail, and are sent again by themselves (${triesText(tries)}). `,
          link('flow', undefined, 'What waits'),
        ),
      ),
      deferred > 0 &&
        h(
          'li',
          null,
          `about ${counted(deferred, 'command')} of products, orders or documents ${deferred === 1 ? 'waits' : 'wait'} for a later try. `,
          link('flow', undefined, 'Where'),
        ),
      h('li', null, `${connected} of ${checked.stores} stores are connected, none is suspended`),
      h('li', null, `${checked.deadLetterQueues} dead-letter queues are empty`),
      h('li', null, 'no order or batch has an unknown outcome'),
      h('li', null, 'no prices and no files are held, no listing is contested'),
      h(
        'li',
        null,
        `${open} ${open === '1' ? 'batch is' : 'batches are'} open: they end by their summaries, or are read back after their deadline`,
      ),
      h('li', null, 'checked ', age(checked.at), ' ago'),
    ),
  );
}
