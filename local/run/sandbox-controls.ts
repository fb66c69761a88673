/** The controls of a marketplace if it is a sandbox, which answers `GET /sandbox/health`. */
export async function findSandboxControls(baseUrl: string): Promise<SandboxControls | undefined> {
  const answer = await fetch(`${baseUrl}/sandbox/health`).catch(() => undefined);
  const health = answer?.ok ? await answer.text() : '';
  return /^\{\s*"ok"\s*:\s*true/.test(health) ? sandboxControls(baseUrl) : undefined;
}

/** The controls of the sandbox marketplace, on paths outside the API. */
function sandboxControls(baseUrl: string) {
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${baseUrl}/sandbox${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`sandbox ${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  return {
    setWebhook: (url: string, options: { secret?: string; for?: 'all' | 'catalog' } = {}) =>
      call('PUT', '/webhook', { url, ...options }),
    addFault: (fault: { path?: string; method?: string; times?: number; fault: object }) =>
      call('POST', '/faults', fault),
    clearFaults: () => call('DELETE', '/faults'),
    setLimits: (limits: { requestsPerSecond?: number; maxItems?: number }) => call('PUT', '/limits', limits),
    setStore: (storeClientId: string, store: { blocked?: boolean; token?: string }) =>
      call('PUT', `/stores/${storeClientId}`, store),
    /** The seller agrees. `location` is the URL of the redirect back. */
    completeOnboarding: (sid: string, storeClientId?: string) =>
      call(
        'POST',
        `/onboarding/${sid}/complete`,
        storeClientId === undefined ? {} : { storeClientId },
      ) as Promise<{
        location: string;
      }>,
    createOrder: (order: { storeClientId: string; subStatus: string; complained?: boolean }) =>
      call('POST', '/orders', order) as Promise<{ orderId: string; invoiceNumber: string }>,
    order: (orderId: string) => call('GET', `/orders/${orderId}`) as Promise<SandboxOrder>,
    requests: (since = 0) =>
      call('GET', `/requests?since=${since}`) as Promise<{ requests: SandboxRequest[] }>,
    /** Changes a product as someone else would. */
    editProduct: (storeClientId: string, sku: string, values: object) =>
      call('PUT', `/stores/${storeClientId}/products/${encodeURIComponent(sku)}`, values),
    removeProduct: (storeClientId: string, sku: string) =>
      call('DELETE', `/stores/${storeClientId}/products/${encodeURIComponent(sku)}`),
    products: (storeClientId: string) =>
      call('GET', `/stores/${storeClientId}/products`) as Promise<{ products: SandboxProduct[] }>,
  };
}

/** A request in the sandbox's log. */
export interface SandboxRequest {
  readonly sequence: number;
  /** ISO 8601 */
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly storeClientId: string | null;
  readonly items: number | null;
  /** Null until the request is answered; stays null when the connection was cut. */
  readonly status: number | null;
  readonly errorCode: string | null;
  /** Requests of the partner in flight when this request arrived, this one included. */
  readonly inFlight: number;
  /** The injected fault that the request met. */
  readonly fault: object | null;
}

/** An order in the sandbox with all received decisions and dropoffs. */
export interface SandboxOrder {
  readonly orderId: string;
  readonly invoiceNumber: string;
  readonly subStatus: string;
  readonly decisions: readonly { readonly decision: string }[];
  readonly dropoffs: readonly object[];
}

/** A product in the sandbox with the history of its prices and stock. */
export interface SandboxProduct {
  readonly id: string;
  readonly sku: string;
  readonly externalId: string;
  readonly name: string;
  readonly price: number;
  readonly stock: number;
  readonly variants?: { readonly items: readonly { sku: string; price: number; stock: number }[] };
  readonly history: {
    readonly price: readonly { price: number; specialPrice: number | null; time: string }[];
    readonly stock: readonly { clientId: string | null; stock: number; time: string }[];
  };
}

export type SandboxControls = ReturnType<typeof sandboxControls>;
