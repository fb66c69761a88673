/** A call that failed. `hint`: what to do about it. */
export class CallError extends Error {
  constructor({ code, message, hint }) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** The console's server cannot be reached, or was started again. */
export class NoAnswer extends Error {}

/** Reads JSON from the console. Throws CallError or NoAnswer. */
export function get(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given).toString();
  return call('GET', search === '' ? path : `${path}?${search}`);
}

/** The pages of a list, to its end. */
export async function* pagesOf(path, list, query = {}) {
  let cursor;
  do {
    const answer = await get(path, { limit: PAGE_SIZE, ...query, ...(cursor && { cursor }) });
    yield answer[list];
    cursor = answer.cursor;
  } while (cursor !== undefined);
}

/** What the lists of the operations API give at once. */
export const PAGE_SIZE = 1000;

let changes = 0;
/** Counts what this page has changed: what was read before may be outdated. */
export function changesMade() {
  return changes;
}

/** Changes something. All screens are updated afterwards. Throws CallError or NoAnswer. */
export async function send(path, body = {}, method = 'POST') {
  const answer = await call(method, path, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  changes += 1;
  document.dispatchEvent(new Event('changed'));
  return answer;
}

async function call(method, path, options = {}) {
  const response = await fetch(path, { method, ...options }).catch(() => {
    throw new NoAnswer('The console does not answer.');
  });
  if (response.status === 401) throw new NoAnswer('The console was started again: open its new address.');
  const answer = await response.json().catch(() => {
    throw new NoAnswer('The console does not answer.');
  });
  if (!response.ok) throw new CallError(answer.error);
  return answer;
}
