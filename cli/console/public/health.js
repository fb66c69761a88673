import { h, link } from './dom.js';
import { icon } from './icons.js';
import { age, shortTime } from './times.js';

const SHOWN = {
  healthy: { icon: 'ok', tone: 'ok' },
  idle: { icon: 'mute', tone: 'mute' },
  paused: { icon: 'pause', tone: 'warn' },
  failing: { icon: 'bad', tone: 'bad' },
  back: { icon: 'warn', tone: 'warn' },
  failedLast: { icon: 'warn', tone: 'warn' },
  refused: { icon: 'bad', tone: 'bad' },
};

/** Whether the marketplace answers: one line, on every screen. */
export function healthLine(health) {
  const state = isBack(health) ? 'back' : hasFailedLast(health) ? 'failedLast' : health.state;
  const shown = SHOWN[state];
  const parts = [WHAT[state](health), ...factsOf(health)].filter(Boolean);
  return h(
    'section',
    { class: `health ${shown.tone}`, 'aria-label': 'The marketplace' },
    icon(shown.icon),
    h(
      'p',
      null,
      h('b', null, 'Marketplace '),
      parts.map((part, index) => [index > 0 && ' · ', part]),
    ),
  );
}

/** Many of the last requests failed, and the last one succeeded. */
function isBack({ state, lastSuccessAt = '', lastFailure }) {
  return state === 'failing' && lastSuccessAt > (lastFailure?.at ?? '');
}

/** The last request failed, and no recent one has succeeded; too little to call the marketplace failing, or too long ago. */
export function hasFailedLast({ state, recent, lastSuccessAt = '', lastFailure }) {
  const isOpen = state === 'healthy' || state === 'idle';
  return isOpen && recent.failed === recent.requests && (lastFailure?.at ?? '') > lastSuccessAt;
}

const WHAT = {
  failedLast: ({ lastFailure }) => [
    'the last request to it failed ',
    age(lastFailure.at),
    ' ago: it ',
    answerOf(lastFailure).replace('answers', 'answered').replace('gives', 'gave'),
  ],
  back: ({ lastFailure }) => [
    'answers again; before, it ',
    answerOf(lastFailure).replace('answers', 'answered').replace('gives', 'gave'),
  ],
  healthy: () => 'answers',
  idle: ({ recent, lastSuccessAt, lastFailure }) =>
    lastSuccessAt === undefined && lastFailure === undefined
      ? 'nothing was sent to it yet'
      : `nothing was sent to it in the last ${recent.minutes} min`,
  failing: ({ lastFailure, since }) => [
    h('strong', null, `${answerOf(lastFailure)} since `, shortTime(since)),
    ': requests are sent again by themselves until it answers',
  ],
  paused: ({ heldUntil, lastFailure }) => [
    h('strong', null, 'asked to wait until ', shortTime(heldUntil)),
    ` (it ${answerOf(lastFailure)}): one request a minute asks whether that still holds`,
  ],
  refused: ({ since }) => [
    h('strong', null, 'gets nothing since ', shortTime(since)),
    ': the credentials of the partner are refused, or not set. ',
    link('needs-you', undefined, 'What to do'),
  ],
};

function factsOf({ state, recent, lastSuccessAt, pausedUntil, lastFailure }) {
  const isShort = pausedUntil !== undefined && state !== 'paused';
  return [
    isShort && [
      'paused until ',
      shortTime(pausedUntil),
      // A failing one has said its code already.
      lastFailure === undefined || state === 'failing' ? '' : `, as it ${answerOf(lastFailure)}`,
    ],
    lastSuccessAt && ['last success ', age(lastSuccessAt), ' ago'],
    lastSuccessAt === undefined && state !== 'idle' && 'no request has succeeded yet',
    recent.failed > 0 &&
      `${recent.failed} of ${recent.requests} requests failed in the last ${recent.minutes} min`,
  ];
}

/** What a failed request was answered. */
function answerOf({ status, code } = {}) {
  if (status === undefined) return code === undefined ? 'gives no answer' : `gives no answer (${code})`;
  return ['answers', status, code].filter(Boolean).join(' ');
}
