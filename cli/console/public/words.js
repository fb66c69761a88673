import { pill } from './dom.js';

const TONES = {
  connected: 'ok',
  suspended: 'bad',
  unbound: 'mute',
  submitted: 'info',
  reading: 'info',
  open: 'info',
  completed: 'ok',
  completed_with_errors: 'warn',
  failed: 'bad',
  unresolved: 'bad',
  unmatched: 'warn',
  held: 'warn',
  drifted: 'warn',
  contested: 'bad',
  accepted: 'ok',
  rejected: 'bad',
  sending: 'info',
  unknown: 'bad',
};

export function statePill(state) {
  return pill(state.replaceAll('_', ' '), TONES[state] ?? 'mute');
}

/** Of a request that needed several tries: how many, and the last that failed. */
export function triesText(tries) {
  if (tries === undefined) return undefined;
  const { count, lastFailed: { status, code, outcome } = {} } = tries;
  const why = [status, code].filter((one) => one !== undefined).join(' ') || outcome;
  return why === undefined ? `${count} tries` : `${count} tries, last failure ${why}`;
}

export const DOCUMENTS = { 'shipping-label': 'shipping label', invoice: 'invoice' };

/** The state of a document. One that could not be fetched again has the key of the earlier PDF. */
export function documentState({ state, key }) {
  return state === 'failed' && key !== undefined ? 'failed, the earlier PDF is still stored' : state;
}

/** The part of an order that a waiting command is about. */
export function waitingPart({ detailType, document }) {
  return DOCUMENTS[document] ?? detailType.split('.')[1];
}

export const ATTENTION = {
  'partner-refused': 'Credentials refused, or not set',
  'tables-restored': 'Tables restored',
  'store-suspended': 'Store suspended',
  'prices-held': 'Prices held',
  'listing-contested': 'Listing contested',
  'import-held': 'Import held',
  'import-failed': 'Import failed',
  'order-unknown': 'Order of unknown outcome',
  'batch-unresolved': 'Batch unresolved',
  'dead-letters': 'Dead letters',
  'store-unbound': 'Unbound store with waiting work',
  'summary-unmatched': 'Summary without a batch',
};

/** How much harm it does: each with a colour, an icon and a word. */
export const SEVERITIES = {
  critical: { tone: 'bad', word: 'Critical' },
  warning: { tone: 'warn', word: 'Warning' },
  notice: { tone: 'info', word: 'Notice' },
};

/** Commands that wait for a later try, of all queues of commands: nothing is wrong with them, but they are not performed. */
export function deferredCommands(queues) {
  return queues
    .filter(({ topic }) => topic.endsWith('Commands'))
    .reduce((sum, { delayed }) => sum + delayed, 0);
}

/** Names of queues in words. */
export const QUEUES = {
  Changes: 'Changes',
  Wake: 'Tickets',
  CatalogImport: 'Catalog files',
  ProductCommands: 'Product commands',
  OrderCommands: 'Order commands',
  DocumentCommands: 'Document commands',
  Summaries: 'Final summaries',
};
