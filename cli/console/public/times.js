import { h } from './dom.js';

/** All times of the page are in one zone: UTC, or on request the reader's own. */
const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const KEY = 'time-zone';
const UTC = 'UTC';

function zone() {
  return localStorage.getItem(KEY) ?? UTC;
}

/** A button that shows all times in the other zone; none if the reader's own is UTC. */
export function zoneButton() {
  const other = zone() === UTC ? OWN_ZONE : UTC;
  const text = `Times in ${zone()}`;
  if (other === zone()) return h('small', null, text);
  const onclick = () => {
    localStorage.setItem(KEY, other);
    location.reload();
  };
  return h('button', { type: 'button', class: 'link', title: `Show times in ${other}`, onclick }, text);
}

/** `2026-11-27 08:15:02`, of an ISO time or epoch ms. */
export function timeText(at) {
  return new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone(),
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(typeof at === 'string' ? Date.parse(at) : at);
}

/** A time, without its date if `before` was on the same day. */
export function time(iso, before) {
  const text = timeText(iso);
  const isSameDay = before !== undefined && timeText(before).slice(0, 10) === text.slice(0, 10);
  return h('time', { datetime: iso, title: `${text} ${zone()}` }, isSameDay ? text.slice(11) : text);
}

/** The time without its date if it is today. */
export function shortTime(iso) {
  return time(iso, new Date().toISOString());
}

/** How long ago it was, which goes on without a new drawing. */
export function age(iso) {
  const title = `${timeText(iso)} ${zone()}`;
  return h('time', { datetime: iso, title, 'data-age': true }, duration(Date.now() - Date.parse(iso)));
}

/** Draws all ages again. */
export function tickAges() {
  for (const element of document.querySelectorAll('time[data-age]')) {
    const text = duration(Date.now() - Date.parse(element.dateTime));
    if (element.textContent !== text) element.textContent = text;
  }
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
];

/** Two units from an hour on, otherwise one: `2 d 3 h`, `1 h 5 min`, `41 s`. */
export function duration(milliseconds) {
  const index = UNITS.findIndex(([unit]) => milliseconds >= unit);
  if (index < 0) return '0 s';
  const [size, name] = UNITS[index];
  const first = `${Math.floor(milliseconds / size)} ${name}`;
  const [smaller, smallName] = UNITS[index + 1] ?? [];
  const rest = size > 60_000 ? Math.floor((milliseconds % size) / smaller) : 0;
  return rest > 0 ? `${first} ${rest} ${smallName}` : first;
}

/** A short time: `85 ms`, `2.4 s`, and from a minute on as `duration`. */
export function briefly(milliseconds) {
  if (milliseconds < 1000) return `${milliseconds} ms`;
  return milliseconds < 60_000 ? `${(milliseconds / 1000).toFixed(1)} s` : duration(milliseconds);
}
