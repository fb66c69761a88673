import { counted, h, table } from '../dom.js';
import { hourChart } from '../drawings.js';
import { briefly, shortTime } from '../times.js';

/** The last day by hours: rows accepted and rejected, and how long answers took. */
export function hourCharts({ hours, isCut }) {
  const sum = (name) => hours.reduce((total, hour) => total + hour[name], 0);
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
      latencyChart('Time to the answer', hours, ({ answer }) => answer),
      latencyChart('Time to the summary', hours, ({ summary }) => summary),
    ),
    h(
      'p',
      { class: 'legend' },
      h('span', { class: 'ok' }, `${accepted} accepted`),
      h('span', { class: 'bad' }, `${rejected} rejected`),
      h(
        'span',
        { class: 'info' },
        'median from sending a request to its answer, and to its final summary where one follows',
      ),
    ),
    isCut &&
      h('p', { class: 'hint' }, 'There are too many batches for a whole day: the oldest hours are left out.'),
    h(
      'details',
      null,
      h('summary', null, 'The hours as a table'),
      table(
        'Hours',
        [
          'From',
          'Accepted',
          'Rejected',
          'Unknown',
          'Answers: median',
          'Answers: longest',
          'Summaries: median',
          'Summaries: longest',
        ],
        hours.map(({ at, answer, summary, ...rows }) => [
          shortTime(at),
          rows.accepted,
          rows.rejected,
          rows.unknown,
          answer && briefly(answer.median),
          answer && briefly(answer.longest),
          summary && briefly(summary.median),
          summary && briefly(summary.longest),
        ]),
      ),
    ),
  );
}

/** A chart of medians; none if there is nothing to show. */
function latencyChart(title, hours, latencyOf) {
  const medians = hours.map((hour) => ({ at: hour.at, median: latencyOf(hour)?.median ?? 0 }));
  const longest = Math.max(0, ...medians.map(({ median }) => median));
  if (hours.every((hour) => latencyOf(hour) === undefined)) return undefined;
  return hourChart(
    title,
    medians.map(({ at, median }) => ({ at, parts: [[median, 'info']] })),
    { textOf: briefly, description: `Median: ${briefly(longest)} at most` },
  );
}
