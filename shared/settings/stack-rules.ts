/**
 * The stack's name and the IDs of the constructs around the connector have together at most this many characters. Each table's name
 * begins with them, and all table names must fit into the 4 KB that Lambda allows for a function's variables.
 */
export const MOST_NAME_CHARACTERS = 40;

export const stackNamePattern = `^[A-Za-z][A-Za-z0-9-]{0,${MOST_NAME_CHARACTERS - 1}}$`;

/** The rule of {@link stackNamePattern}, in words. */
export const stackNameRule = `must be at most ${MOST_NAME_CHARACTERS} letters, digits and hyphens, a letter first`;

/** HTTPS, as each request carries a store's token; HTTP on this machine only. A path may follow, a query may not. */
export const baseUrlPattern =
  '^(?!.*/api/v1$)(https://([A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\])|http://(127\\.0\\.0\\.1|localhost|\\[::1\\]))' +
  '(:[0-9]{1,5})?(/[A-Za-z0-9._~%-]+)*$';

/** The rule of {@link baseUrlPattern}, in words. */
export const baseUrlRule =
  'must start with https:// (http:// on this machine only), name a host and at most a path, and end neither in /api/v1 nor in a slash';

/** Path at which the marketplace delivers final summaries. */
export const webhookPath = '/webhooks/marketplace';

/** Path to which the marketplace sends sellers back. */
export const callbackPath = '/onboarding/callback';

/** `source` of every event that this stack puts on its bus. No rule of the stack sends such an event to a queue. */
export const EVENT_SOURCE = 'marketplace.connector';

/** The contents of the archive bucket, by the beginning of their keys. A function may read and write only what it uses. */
export const ARCHIVED = { requests: 'requests/', messages: 'messages/', webhooks: 'webhooks/' } as const;

/** The keys of reports in the import bucket begin with this. Any other object that is put there starts the importer. */
export const REPORTS = 'reports/';

/** The document bucket keeps replaced and deleted documents for this many days. */
export const REPLACED_DOCUMENT_DAYS = 7;
