import { counted, h, table } from '../dom.js';
import { hourChart } from '../drawings.js';
import { briefly, shortTime } from '../times.js';

/** The last day by hours: rows accepted and rejected, and how long answers took. */
export function hourCharts({ hours, isCut }) {
  const sum = (name) => hours.reduce((total, hour) => total + hour[name], 0);
  const longest = Math.max(0, ...hours.map(({ latency }) => latency?.median ?? 0));
  const [accepted, rejected] = [sum('accepted'), sum('rejected')];
  return h(
    'section',
    { class: 'stack', 'aria-label': 'By hour' },
    h(
      'div',
      { class: 'charts' },
      hourChart(
        'Rows per hour',
        hours.map((hour) => ({
          at: hour.at,
          parts: [
            [hour.accepted, 'ok'],
            [hour.rejected, 'bad'],
            [hour.unknown, 'warn'],
          ],
        })),
        { description: `${accepted} accepted and ${rejected} rejected in ${counted(hours.length, 'hour')}` },
      ),
      hourChart(
        'Time to the final summary per hour',
        hours.map(({ at, latency }) => ({ at, parts: [[latency?.median ?? 0, 'info']] })),
        {
          textOf: briefly,
          description: `Median time to the final summary per hour: ${briefly(longest)} at most`,
        },
      ),
    ),
    h(
      'p',
      { class: 'legend' },
      h('span', { class: 'ok' }, `${accepted} accepted`),
      h('span', { class: 'bad' }, `${rejected} rejected`),
      h('span', { class: 'info' }, 'median from sending a catalog to its final summary'),
    ),
    isCut &&
      h('p', { class: 'hint' }, 'There are too many batches for a whole day: the oldest hours are left out.'),
    h(
      'details',
      null,
      h('summary', null, 'The hours as a table'),
      table(
        'Hours',
        ['From', 'Accepted', 'Rejected', 'Unknown', 'Median time', 'Longest time'],
        hours.map(({ at, latency, ...rows }) => [
          shortTime(at),
          rows.accepted,
          rows.rejected,
          rows.unknown,
          latency && briefly(latency.median),
          latency && briefly(latency.longest),
        ]),
      ),
    ),
  );
}
