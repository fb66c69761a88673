import * as z from 'zod';

const createdOrder = z.object({ orderId: z.string(), invoiceNumber: z.string() });
const completedOnboarding = z.object({ location: z.url() });
const observedOrder = z.looseObject({
  subStatus: z.string(),
  decisions: z.array(z.looseObject({ decision: z.string() })),
  dropoffs: z.array(z.looseObject({})),
});

/** The sandbox's controls that the suite uses: what sellers, buyers and failing systems do. */
export interface SandboxControls {
  createOrder(order: {
    storeClientId: string;
    subStatus: string;
    complained?: boolean;
  }): Promise<z.infer<typeof createdOrder>>;
  order(orderId: string): Promise<z.infer<typeof observedOrder>>;
  setStore(storeClientId: string, settings: { blocked?: boolean; token?: string }): Promise<void>;
  setClock(offsetMs: number): Promise<void>;
  setWebhook(url: string): Promise<void>;
  addFault(fault: { path?: string; method?: string; times?: number; fault: object }): Promise<void>;
  /** The seller agrees; returns the parameters of the redirect. */
  completeOnboarding(sid: string): Promise<URLSearchParams>;
  /** The status of the answer to the seller's agreement. */
  statusOfOnboarding(sid: string): Promise<number>;
}

export function createControls(sandboxUrl: string): SandboxControls {
  const request = (method: string, path: string, body: object = {}) =>
    fetch(`${sandboxUrl}/sandbox${path}`, {
      method,
      ...(method !== 'GET' && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
  const answerOf = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await request(method, path, body);
    if (!response.ok)
      throw new Error(`${method} /sandbox${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const change = async (method: string, path: string, body: object) =>
    void (await answerOf(method, path, body));
  return {
    createOrder: async (order) => createdOrder.parse(await answerOf('POST', '/orders', order)),
    order: async (orderId) => observedOrder.parse(await answerOf('GET', `/orders/${orderId}`)),
    setStore: (storeClientId, settings) => change('PUT', `/stores/${storeClientId}`, settings),
    setClock: (offsetMs) => change('PUT', '/clock', { offsetMs }),
    setWebhook: (url) => change('PUT', '/webhook', { url }),
    addFault: (fault) => change('POST', '/faults', fault),
    completeOnboarding: async (sid) => {
      const { location } = completedOnboarding.parse(await answerOf('POST', `/onboarding/${sid}/complete`));
      return new URL(location).searchParams;
    },
    statusOfOnboarding: async (sid) => (await request('POST', `/onboarding/${sid}/complete`)).status,
  };
}
