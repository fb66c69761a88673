import { get } from '../api.js';
import { h, showItems } from '../dom.js';
import { lineChart } from '../drawings.js';
import { flowNodes } from './flow-nodes.js';
import { flowPicture } from './flow-picture.js';
import { hourCharts } from './hours.js';

const RATES_KEPT = 360;
/** Of what changes by the hour. */
const HOURS_EVERY_MS = 60_000;

/** Where work is, how much of it, and what came of it by the hour. */
export const flow = {
  title: 'Flow',
  mount(place) {
    const picture = h('div');
    const charts = h('div', { class: 'charts' });
    const hours = h('div');
    place.append(
      picture,
      h('h2', null, 'The last 24 hours'),
      hours,
      h('h2', null, 'Since the console began'),
      charts,
    );
    const rates = [];
    let before;
    let hoursAt = Number.NEGATIVE_INFINITY;
    return async (state) => {
      const seen = { ...(await get('/flow')), at: performance.now() };
      // The server may have answered with what it had read for another page.
      if (before !== undefined && seen.limiter.sent >= before.limiter.sent) {
        const rate = (1000 * (seen.limiter.sent - before.limiter.sent)) / (seen.at - before.at);
        rates.push({ at: new Date().toISOString(), value: Math.round(10 * rate) / 10 });
      }
      rates.splice(0, rates.length - RATES_KEPT);
      before = seen;
      const nodes = flowNodes(state, { ...seen, rate: rates.at(-1)?.value ?? 0 });
      showItems(picture, [nodes], { keyOf: () => 'flow', build: flowPicture });
      showCharts(charts, state.measures, rates);
      if (seen.at - hoursAt < HOURS_EVERY_MS) return;
      hoursAt = seen.at;
      showItems(hours, [await get('/hours')], { keyOf: () => 'hours', build: hourCharts });
    };
  },
};

function showCharts(place, measures, rates) {
  const of = (name) => measures.map((measure) => ({ at: measure.at, value: measure[name] }));
  place.replaceChildren(
    lineChart('Messages in queues', of('waiting')),
    lineChart('Requests per second', rates),
    lineChart('Dead letters', of('deadLetters')),
  );
}
