import { externalIdOf } from '../../../local/run/catalog.ts';
import type { ConnectorRun } from '../../../local/run/connector-run.ts';
import type { SandboxOrder, SandboxProduct } from '../../../local/run/sandbox-controls.ts';

/** The default store. */
export const STORE = 'store-1wh';

/** The parts of a running stack and its sandbox that the ways to the endpoints use. */
export interface EndpointWorld {
  /** A number that is not used yet. */
  nextNumber(): number;
  /** A simple product that exists at the marketplace, a different one at each call. */
  knownProduct(): Promise<{ id: string; number: number }>;
  product(number: number): Promise<SandboxProduct | undefined>;
  order(subStatus: string): Promise<{ orderId: string; invoiceNumber: string }>;
  orderAtMarketplace(orderId: string): Promise<SandboxOrder>;
  hasDocument(orderId: string, document: string): Promise<boolean>;
  putEvent(detailType: string, detail: object): Promise<unknown>;
  /** Puts a `.json` file into a folder of the import bucket. */
  putFile(folder: string, content: string): Promise<void>;
  /** @throws Error when the answer is not a success */
  callRoute(
    route: string,
    parameters: {
      path?: Readonly<Record<string, string>>;
      query?: Readonly<Record<string, string>>;
      storeClientId?: string;
    },
    body?: object,
  ): Promise<void>;
}

/** @param known how many products, by their numbers from 1, are at the marketplace. */
export function createEndpointWorld(run: ConnectorRun, known: number): EndpointWorld {
  const { partner, controls } = run;
  if (controls === undefined) throw new Error('the marketplace is no sandbox');
  let lastNumber = known;
  let lastKnown = 0;
  const product = async (number: number) => {
    const { products } = await controls.products(STORE);
    return products.find(({ externalId }) => externalId === externalIdOf(number));
  };
  return {
    nextNumber: () => ++lastNumber,
    knownProduct: async () => {
      const number = ++lastKnown;
      const found = await product(number);
      if (found === undefined) throw new Error(`no product ${number} is left to use`);
      return { id: found.id, number };
    },
    product,
    order: (subStatus) => controls.createOrder({ storeClientId: STORE, subStatus }),
    orderAtMarketplace: controls.order,
    hasDocument: (orderId, document) => partner.hasDocument(`documents/${STORE}/${orderId}/${document}.pdf`),
    putEvent: (detailType, detail) =>
      partner.putEvents([{ detailType, detail: { storeClientId: STORE, ...detail } }]),
    putFile: (folder, content) => partner.putImportFile(`${folder}/${STORE}/${++lastNumber}.json`, content),
    callRoute: async (route, { path = {}, query = {}, storeClientId = STORE }, body) => {
      const [method = '', template = ''] = route.split(' ');
      const parameters: Record<string, string> = { storeClientId, ...path };
      const filled = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(parameters[name] ?? ''));
      const search = new URLSearchParams(query).toString();
      const answer = await partner.callApi(method, `${filled}${search && `?${search}`}`, body);
      if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`);
    },
  };
}
