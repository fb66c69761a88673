/** What the page reads of the operations API. */
const READS = [
  'GET /stores/{storeClientId}/orders/{orderId}/documents/{document}',
  'GET /batches',
  'GET /batches/{batchId}',
  'GET /batches/{batchId}/rejects',
  'GET /imports',
  'GET /rejections',
  'GET /stores/{storeClientId}/orders',
  'GET /drift',
] as const;

/** What its buttons call, with `--write` only. */
const WRITES = [
  'POST /stores/{storeClientId}/resume',
  'POST /stores/{storeClientId}/release',
  'POST /stores/{storeClientId}/discard',
  'POST /stores/{storeClientId}/drift/repair',
  'POST /stores/{storeClientId}/orders/resolve',
  'POST /stores/{storeClientId}/orders/retry',
  'POST /stores/{storeClientId}/orders/erase',
  'POST /stores/{storeClientId}/orders/{orderId}/documents/{document}',
  'POST /imports/{importId}/release',
  'POST /imports/{importId}/discard',
  'POST /batches/{batchId}/read-back',
  'POST /batches/{batchId}/resolve',
  'POST /batches/{batchId}/retry',
  'POST /summaries/{batchId}/discard',
  'POST /dead-letters/{queue}/delete',
  'POST /restore/end',
] as const;

/** The routes of the operations API that the console passes on. */
export const API_ROUTES: readonly string[] = [...READS, ...WRITES];

/**
 * The parts of a path that the console passes on, decoded.
 *
 * @param path percent-encoded, from its first slash on
 * @returns `undefined` for a call that is not on the list
 */
export function allowedCall(method: string, path: string): readonly string[] | undefined {
  const parts = decoded(path);
  return parts !== undefined && API_ROUTES.some((route) => matches(route, method, parts)) ? parts : undefined;
}

function matches(route: string, method: string, parts: readonly string[]): boolean {
  const [routeMethod, template = ''] = route.split(' ');
  const names = template.split('/').slice(1);
  return (
    method === routeMethod &&
    names.length === parts.length &&
    names.every((name, index) => (name.startsWith('{') ? isValue(parts[index]) : name === parts[index]))
  );
}

/** Dots would lead to another path. */
function isValue(part: string | undefined): boolean {
  return part !== undefined && part !== '' && part !== '.' && part !== '..';
}

function decoded(path: string): string[] | undefined {
  try {
    return path.split('/').slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
