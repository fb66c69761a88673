import { simpleProduct, skuOf } from '../../local/run/catalog.ts';
import { readChangeMessage } from '../../shared/changes/rules/read-changes.ts';
import { checkProduct } from '../../shared/products/rules/check-product.ts';
import { markdownTable } from '../describe/pages/markdown.ts';
import { barOf, interleaved, spread } from './interleaved.ts';
import type { Section } from './page.ts';
import type { Bar } from './plot.ts';
import { timed } from './timed.ts';

const ROWS = 1_000;
const ROUNDS = 25;
/** Untimed rounds, until everything is compiled. */
const WARM_UP = 10;

/** A message of the changes queue with 1,000 rows. */
function messageOf(detailType: string, itemOf: (number: number) => object): string {
  const items = Array.from({ length: ROWS }, (_, number) => itemOf(number));
  return JSON.stringify({
    id: 'event-1',
    time: '2026-11-22T00:00:00Z',
    'detail-type': detailType,
    detail: { storeClientId: 'store-1wh', version: 1, items },
  });
}

function readingOf(body: string) {
  const message = { messageId: 'message-1', sentAt: Date.now(), body };
  return { 'JSON.parse': timed(() => JSON.parse(body)), connector: timed(() => readChangeMessage(message)) };
}

/** Reading 1,000 rows of an event, or the products of a file, by their schemas beside `JSON.parse` alone, as a table. */
export async function benchRows(): Promise<Section> {
  const products = Array.from({ length: ROWS }, (_, number) => JSON.stringify(simpleProduct(number + 1)));
  const cases = {
    'stock rows of an event': readingOf(
      messageOf('stock.changed', (number) => ({ sku: skuOf(number), stock: number })),
    ),
    'price rows of an event': readingOf(
      messageOf('price.changed', (number) => ({ sku: skuOf(number), price: 1000 + number })),
    ),
    'products of 20 fields': {
      'JSON.parse': timed(() => products.map((text) => JSON.parse(text))),
      connector: timed(() => products.map((text) => checkProduct(JSON.parse(text)))),
    },
  };
  const table: string[][] = [];
  const bars: Bar[] = [];
  for (const [title, contenders] of Object.entries(cases)) {
    await interleaved(contenders, WARM_UP);
    for (const { name, values, ratios } of await interleaved(contenders, ROUNDS)) {
      table.push([`1,000 ${title}`, name, spread(values), spread(ratios)]);
      bars.push(barOf(`${title}: ${name}`, ratios));
    }
  }
  return {
    text: markdownTable(['', 'by', 'ms of CPU', 'of JSON.parse'], table),
    plot: { title: '1,000 rows through their schema', unit: 'CPU, of JSON.parse', bars, goal: 3 },
  };
}
