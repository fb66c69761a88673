const TIMEOUT_MS = 10_000;

/** A request without a signature, or with one that is in `init`. */
export async function request(url: string, init: Omit<RequestInit, 'signal'> = {}): Promise<Response> {
  return fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
}
