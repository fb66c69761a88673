/** The parts of a request that say who sent it. */
export interface Sender {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** The header Sec-Fetch-Site, which browsers set and pages cannot. */
  readonly fetchSite: string | undefined;
  readonly contentType: string | undefined;
}

export interface Refusal {
  readonly status: 401 | 403 | 415;
  readonly code: string;
  readonly message: string;
}

/** `none`: the person typed the address or followed a link outside of the browser. */
const OWN_SITES = ['same-origin', 'none'];

/**
 * Why a request is not of the console's own page: another name of this server (DNS rebinding), or another page (request
 * forgery). Whether it has the cookie is checked besides.
 *
 * @param address host and port of the console
 */
export function refusalOf(sender: Sender, address: string): Refusal | undefined {
  const { method, host, origin, fetchSite, contentType } = sender;
  if (host !== address) return forbidden('HOST_REFUSED', `the console is at ${address} only`);
  const isRead = method === 'GET';
  const isOwnOrigin = origin === `http://${address}` || (isRead && origin === undefined);
  const isOwnSite = fetchSite === undefined || OWN_SITES.includes(fetchSite);
  if (!isOwnOrigin || !isOwnSite)
    return forbidden('ORIGIN_REFUSED', "only the console's own page may send this");
  // Other types can be sent by a form of any page.
  if (!isRead && contentType !== 'application/json')
    return {
      status: 415,
      code: 'CONTENT_TYPE_REFUSED',
      message: 'the content type must be application/json',
    };
  return undefined;
}

function forbidden(code: string, message: string): Refusal {
  return { status: 403, code, message };
}
