import { h, svg } from './dom.js';

const BAR_WIDTH = 100;
const BAR_HEIGHT = 8;

/** A bar of shares, `[name, count, tone]`, with the same in words for those who do not see it. */
export function shareBar(shares) {
  const total = shares.reduce((sum, [, count]) => sum + count, 0);
  const words = shares
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
  let x = 0;
  const parts = shares.map(([, count, tone]) => {
    const width = total === 0 ? 0 : (BAR_WIDTH * count) / total;
    const part = svg('rect', { class: tone, x, y: 0, width, height: BAR_HEIGHT });
    x += width;
    return part;
  });
  return h(
    'span',
    { class: 'share' },
    svg(
      'svg',
      {
        class: 'bar',
        viewBox: `0 0 ${BAR_WIDTH} ${BAR_HEIGHT}`,
        preserveAspectRatio: 'none',
        'aria-hidden': true,
      },
      svg('rect', { class: 'rest', x: 0, y: 0, width: BAR_WIDTH, height: BAR_HEIGHT }),
      parts,
    ),
    h('span', { class: 'words' }, words || 'none'),
  );
}

/** The outcomes of a batch's rows. */
export function rowBar({ accepted, rejected, unknown }) {
  return shareBar([
    ['accepted', accepted, 'ok'],
    ['rejected', rejected, 'bad'],
    ['unknown', unknown, 'warn'],
  ]);
}

const CHART_WIDTH = 240;
const CHART_HEIGHT = 48;

/** A number over time, the newest at the right. */
export function chart(label, values) {
  const most = Math.max(1, ...values);
  const step = CHART_WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, index) => {
    const y = CHART_HEIGHT - 2 - ((CHART_HEIGHT - 4) * value) / most;
    return `${(index * step).toFixed(1)},${y.toFixed(1)}`;
  });
  const now = values.at(-1) ?? 0;
  return h(
    'figure',
    { class: 'chart' },
    h(
      'figcaption',
      null,
      label,
      ' ',
      h('b', null, now),
      h('small', null, `at most ${Math.max(0, ...values)}`),
    ),
    svg(
      'svg',
      {
        viewBox: `0 0 ${CHART_WIDTH} ${CHART_HEIGHT}`,
        preserveAspectRatio: 'none',
        role: 'img',
        'aria-label': `${label}: now ${now}, at most ${Math.max(0, ...values)}`,
      },
      svg('polyline', { points: points.join(' ') }),
    ),
  );
}
