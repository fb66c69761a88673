import type { OtherMarketplace } from '../run/connector-run.ts';
import { withDirectClient } from '../run/direct-client.ts';
import { until } from '../run/until.ts';
import { changeProducts } from './change-products.ts';
import type { TourContext, TourLine } from './context.ts';
import { followStore } from './follow-store.ts';
import { handleOrders } from './handle-orders.ts';
import { importCatalog } from './import-catalog.ts';
import { pushStock } from './push-stock.ts';
import { outcomeLine } from './report.ts';
import { searchBrands } from './search-brands.ts';

const steps: readonly ((tour: TourContext) => Promise<TourLine | TourLine[]>)[] = [
  importCatalog,
  pushStock,
  changeProducts,
  handleOrders,
  searchBrands,
  followStore,
];

export async function takeTour(
  context: Omit<TourContext, 'marketplace' | 'waitFor'>,
  credentials: OtherMarketplace,
): Promise<TourLine[]> {
  return withDirectClient(credentials, async (marketplace) => {
    const { terminal } = context;
    const waitFor: TourContext['waitFor'] = (what, look, options) => {
      terminal.progress(`   waiting for ${what}`);
      return until(what, look, options);
    };
    const lines: TourLine[] = [];
    for (const step of steps) {
      const outcome = [await step({ ...context, marketplace, waitFor })].flat();
      terminal.progress(undefined);
      for (const line of outcome) terminal.say(outcomeLine(line, terminal.paint));
      lines.push(...outcome);
    }
    return lines;
  });
}
