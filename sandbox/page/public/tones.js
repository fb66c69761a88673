import { h, pill } from './dom.js';

const TONES = {
  connected: 'ok',
  blocked: 'bad',
  unbound: 'mute',
  applied: 'ok',
  waiting: 'info',
  pending: 'warn',
  confirmed: 'info',
  waiting_pickup: 'info',
  waiting_drop_off: 'info',
  in_transit: 'info',
  delivered: 'ok',
  order_completed: 'ok',
  complaint_resolved: 'ok',
  cancelled: 'bad',
};

export function statePill(state) {
  return pill(state, TONES[state] ?? 'mute');
}

/** The class of a request's answer, for the filter. */
export function answerClass({ status, fault }) {
  if (status === null) return fault?.drop === undefined ? 'no answer' : 'cut';
  return `${Math.floor(status / 100)}xx`;
}

export function answerPill(entry) {
  const kind = answerClass(entry);
  const tone = { '2xx': 'ok', '4xx': 'warn', '5xx': 'bad', cut: 'bad' }[kind] ?? 'mute';
  return [
    pill(entry.status ?? kind, tone),
    entry.errorCode && [' ', h('span', { class: 'nowrap' }, entry.errorCode)],
  ];
}

export function deliveryPill(outcome) {
  const delivered = typeof outcome === 'number' && outcome >= 200 && outcome < 300;
  return pill(outcome, delivered ? 'ok' : 'bad');
}

/** A fault in words. */
export function faultText(fault) {
  return Object.entries(fault)
    .map(([name, value]) => (value === true ? name : `${name} ${value}`))
    .join(', ');
}
