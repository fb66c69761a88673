import type { IncomingHttpHeaders } from 'node:http';

/** What of a request says who sent it. */
export interface ReceivedHead {
  readonly method: string;
  readonly headers: Pick<
    IncomingHttpHeaders,
    | 'host'
    | 'origin'
    | 'sec-fetch-site'
    | 'sec-fetch-dest'
    | 'content-type'
    | 'content-length'
    | 'transfer-encoding'
  >;
}

/** Who may use a server. */
export interface Rules {
  /** Host and port of a server that only its own page uses. Default: programs use it too, by any name of this machine. */
  readonly pageAt?: string;
  /** Whether bodies must be JSON: a form of any page can send the other types. Default: false. */
  readonly onlyJson?: boolean;
}

/** Why a server on this machine refuses a request. */
export interface LoopbackRefusal {
  readonly status: 403 | 415;
  readonly code: 'HOST_REFUSED' | 'ORIGIN_REFUSED' | 'CONTENT_TYPE_REFUSED';
  readonly message: string;
}

/** No page of the network can have one of these names. Bucket names of S3 stand before `localhost`. */
const NAMES = /^(127\.0\.0\.1|\[::1\]|([a-z0-9._-]+\.)?localhost|host\.docker\.internal)(:\d+)?$/i;

/** `none`: the person typed the address or followed a link outside of the browser. */
const OWN_SITES: readonly unknown[] = [undefined, 'same-origin', 'none'];

/**
 * Why a request to a server on this machine comes from a page that it does not know: by another name of the server (DNS
 * rebinding), or across sites (request forgery). Browsers set `Origin` and `Sec-Fetch-Site`, and pages cannot.
 */
export function refusalOf(head: ReceivedHead, rules: Rules = {}): LoopbackRefusal | undefined {
  return refusalOfHost(head, rules) ?? refusalOfOrigin(head, rules) ?? refusalOfType(head, rules);
}

function refusalOfHost({ headers: { host = '' } }: ReceivedHead, { pageAt }: Rules) {
  if (pageAt === undefined ? NAMES.test(host) : host === pageAt) return undefined;
  const message =
    pageAt === undefined
      ? 'this server is on 127.0.0.1, localhost or [::1] only, not on the host that the request names'
      : `this page is at ${pageAt} only`;
  return { status: 403, code: 'HOST_REFUSED', message } as const;
}

function refusalOfOrigin(head: ReceivedHead, { pageAt }: Rules) {
  const { host = '', origin, 'sec-fetch-site': site } = head.headers;
  const mayLackOrigin = pageAt === undefined || isRead(head);
  const isOwnOrigin =
    origin === undefined ? mayLackOrigin : origin.toLowerCase() === `http://${host.toLowerCase()}`;
  const isOwnSite = OWN_SITES.includes(site) || (pageAt === undefined && isLink(head));
  if (isOwnOrigin && isOwnSite) return undefined;
  return {
    status: 403,
    code: 'ORIGIN_REFUSED',
    message: 'in a browser, only a page of this server may send this',
  } as const;
}

function refusalOfType(head: ReceivedHead, { onlyJson = false }: Rules) {
  const type = head.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (!onlyJson || !hasBody(head) || type === 'application/json') return undefined;
  return {
    status: 415,
    code: 'CONTENT_TYPE_REFUSED',
    message: 'the content type must be application/json',
  } as const;
}

function isRead({ method }: ReceivedHead): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Whether the browser opens it in a tab, so that the page with the link cannot read it. */
function isLink(head: ReceivedHead): boolean {
  return isRead(head) && head.headers['sec-fetch-dest'] === 'document';
}

function hasBody({ headers }: ReceivedHead): boolean {
  return (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined;
}
