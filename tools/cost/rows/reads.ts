import { skuOf } from '../../../local/run/catalog.ts';
import type { Stage } from '../stage.ts';
import { billOf, type CostRow, MILLION } from './row.ts';

const CALLS = 20;

/** A read of the HTTP API, as an operator or a screen makes it. */
function readOf(title: string, path: string): CostRow {
  return {
    title: `reads of ${title}`,
    per: 'million',
    measure: async (stage: Stage) => {
      const read = async () => {
        const { status } = await stage.run.partner.callApi('GET', path);
        if (status !== 200) throw new Error(`GET ${path}: status ${status}`);
      };
      await read();
      return billOf(stage, MILLION / CALLS, async () => {
        for (let call = 0; call < CALLS; call += 1) await read();
      });
    },
  };
}

/** Of a stack with three stores. */
export const readRows: readonly CostRow[] = [
  readOf('`GET /search`, a SKU of one of three stores', `/search?q=${skuOf(1)}`),
  readOf('`GET /search`, a word that names nothing, three stores', '/search?q=NO-SUCH-WORD'),
  readOf('`GET /health`', '/health'),
  readOf('`GET /attention`, three stores without an entry', '/attention'),
  readOf('`GET /rejections`, three stores without any', '/rejections'),
];
