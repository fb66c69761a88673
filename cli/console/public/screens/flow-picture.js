import { h, pill } from '../dom.js';
import { icon } from '../icons.js';
import { age, shortTime } from '../times.js';

/** One picture: all ways lead to the rate limiter and the marketplace, whose answers come back below. */
export function flowPicture({ ways, limiter, marketplace, answers }) {
  return h(
    'div',
    { class: 'flow' },
    h('div', { class: 'ways' }, ways.map(way)),
    h(
      'section',
      { class: 'line', 'aria-label': 'All requests' },
      h('div', { class: 'node limiter' }, limiterWords(limiter)),
      h(
        'div',
        { class: `node marketplace ${marketplace.tone}` },
        h('b', null, 'Marketplace'),
        h('span', { class: 'state' }, icon(marketplace.tone), marketplace.text),
      ),
    ),
    way({ title: 'Answers', stops: answers }),
  );
}

function limiterWords({ name, number, notes, pausedUntil, isStopped }) {
  return [
    h('small', null, 'Rate limiter'),
    h('b', { class: 'number' }, number),
    h('span', null, name),
    notes.map((note) => h('small', null, note)),
    pausedUntil && h('span', null, pill('paused', 'warn'), ' until ', shortTime(pausedUntil)),
    isStopped && pill('stopped', 'bad'),
  ];
}

function way({ title, stops }) {
  return h(
    'section',
    { class: 'way', 'aria-label': title },
    h('h2', null, title),
    h('ol', null, stops.map(stop)),
  );
}

function stop({ kind, name, number, notes = [], oldest, deadLetters = 0, href }) {
  const content = [
    number !== undefined && h('b', { class: 'number' }, number),
    h('span', null, name),
    notes.map((note) => h('small', null, note)),
    oldest && h('small', null, 'oldest ', age(oldest)),
    deadLetters > 0 && pill(`${deadLetters} dead`, 'bad'),
  ];
  const tag = href === undefined ? 'div' : 'a';
  return h('li', { class: kind }, h(tag, { class: 'node', href }, content));
}
