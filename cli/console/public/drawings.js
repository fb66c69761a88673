import { h, svg } from './dom.js';
import { shortTime, time } from './times.js';

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
const CHART_HEIGHT = 60;

/** A drawing with its largest number and its times: those at its begin and its end, or `ticks`, spread evenly. */
function figure({ label, now, most, description, ticks }, ...drawn) {
  return h(
    'figure',
    { class: 'chart' },
    h(
      'figcaption',
      null,
      label,
      ' ',
      now !== undefined && h('b', null, now),
      h('small', null, `most ${most}`),
    ),
    svg(
      'svg',
      {
        viewBox: `0 0 ${CHART_WIDTH} ${CHART_HEIGHT}`,
        preserveAspectRatio: 'none',
        role: 'img',
        'aria-label': description,
      },
      drawn,
    ),
    h(
      'div',
      { class: 'axis', 'aria-hidden': true },
      ticks.map((tick) => h('span', null, tick)),
    ),
  );
}

/** A number over time: `points` have their times, `{at, value}`, the newest last. */
export function lineChart(label, points) {
  const values = points.map(({ value }) => value);
  const most = Math.max(0, ...values);
  const [first, last] = [points[0], points.at(-1)];
  const begin = Date.parse(first?.at);
  const span = Math.max(1, Date.parse(last?.at) - begin);
  const line = points.map(({ at, value }) => {
    const x = (CHART_WIDTH * (Date.parse(at) - begin)) / span;
    const y = CHART_HEIGHT - 2 - ((CHART_HEIGHT - 4) * value) / Math.max(1, most);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const now = last?.value ?? 0;
  return figure(
    {
      label,
      now,
      most,
      description: `${label}: now ${now}, at most ${most}`,
      ticks: first === undefined ? [] : [shortTime(first.at).textContent, 'now'],
    },
    svg('polyline', { points: line.join(' ') }),
  );
}

/** Labels below the bars. */
const TICKS = 4;

/**
 * Bars by hour: `bars` have the begin of their hour and what is stacked in it, `{at, parts: [[value, tone], …]}`.
 *
 * @param textOf writes the largest value
 */
export function hourChart(label, bars, { textOf = String, description }) {
  const heights = bars.map(({ parts }) => parts.reduce((sum, [value]) => sum + value, 0));
  const most = Math.max(0, ...heights);
  const width = CHART_WIDTH / Math.max(1, bars.length);
  const rects = bars.flatMap(({ parts }, index) => {
    let y = CHART_HEIGHT;
    return parts.map(([value, tone]) => {
      const height = (CHART_HEIGHT * value) / Math.max(1, most);
      y -= height;
      return svg('rect', { class: tone, x: index * width + width * 0.1, y, width: width * 0.8, height });
    });
  });
  const step = Math.max(1, Math.ceil(bars.length / TICKS));
  const ticks = bars
    .filter((_, index) => index % step === 0)
    .map(({ at }, index, all) => hourText(at, all[index - 1]?.at));
  return figure({ label, most: textOf(most), description, ticks }, rects);
}

/** `14:00`, with the date if it differs from that of `before`. */
function hourText(at, before = new Date().toISOString()) {
  return time(at, before)
    .textContent.replace(/^\d{4}-/, '')
    .replace(/:\d\d$/, '');
}
