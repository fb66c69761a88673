import { svg } from './dom.js';

/** Each severity has a shape of its own, so that colour is not needed. */
const SHAPES = {
  ok: ['M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Z', 'M5 8.2 7.2 10.4 11.2 5.8'],
  info: ['M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Z', 'M8 7.4V11.6M8 4.4V5'],
  mute: ['M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Z', 'M5 8H11'],
  pause: ['M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Z', 'M6.2 5.4V10.6M9.8 5.4V10.6'],
  warn: ['M8 1.5 15 14.2H1Z', 'M8 6V9.8M8 11.6V12.2'],
  bad: ['M5.1 1H10.9L15 5.1V10.9L10.9 15H5.1L1 10.9V5.1Z', 'M8 4.4V8.8M8 11V11.6'],
};

export function icon(name) {
  const [outline, sign] = SHAPES[name];
  return svg(
    'svg',
    { class: `icon ${name}`, viewBox: '0 0 16 16', 'aria-hidden': true },
    svg('path', { class: 'outline', d: outline }),
    svg('path', { class: 'sign', d: sign }),
  );
}
