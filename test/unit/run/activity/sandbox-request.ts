import type { SandboxRequest } from '../../../../local/run/sandbox-controls.ts';

/** A request as the sandbox logs it, by default one that it has answered with 200. */
export function sandboxRequest(fields: Partial<SandboxRequest> = {}): SandboxRequest {
  return {
    sequence: 1,
    time: '2026-01-02T03:04:05.000Z',
    method: 'PATCH',
    path: '/partner/stores/inventory',
    storeClientId: 'store-0wh',
    items: 0,
    status: 200,
    errorCode: null,
    inFlight: 1,
    fault: null,
    ...fields,
  };
}
