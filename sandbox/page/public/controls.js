import { controlButton, controlForm } from './forms.js';

const FAULTS = [
  ['status', 'Answer with a status'],
  ['retryAfter', 'Answer 429 with Retry-After'],
  ['delayMs', 'Answer late'],
  ['drop', 'Cut the connection'],
  ['ignored', 'Accept the rows and never apply them'],
  ['malformed', 'Break the body of the answer'],
  ['contentType', 'Answer with another content type'],
  ['oversized', 'Answer with more than 10 MiB'],
  ['webhook', 'Disturb the final summary'],
];

const is = (kind) => (values) => values.kind === kind;

export function orderForm(state) {
  return controlForm({
    title: 'Create an order',
    fields: [
      {
        name: 'storeClientId',
        label: 'Store',
        type: 'select',
        options: state.stores.map((store) => store.clientId),
      },
      { name: 'subStatus', label: 'Status', type: 'select', options: state.subStatuses, value: 'pending' },
      { name: 'complained', label: 'The buyer complained', type: 'checkbox' },
    ],
    submit: 'Create the order',
    send: (values) => ['POST', '/orders', values],
    done: ({ invoiceNumber }) => `Created ${invoiceNumber}.`,
  });
}

export function faultForm(state) {
  return controlForm({
    title: 'Set a fault',
    intro: 'It acts on the next matching requests with a valid signature.',
    fields: [
      { name: 'kind', label: 'Fault', type: 'select', options: FAULTS },
      {
        name: 'status',
        label: 'HTTP status',
        type: 'number',
        value: 503,
        required: true,
        when: is('status'),
      },
      { name: 'code', label: 'Error code', placeholder: 'by status', when: is('status') },
      {
        name: 'retryAfter',
        label: 'Retry-After (seconds)',
        type: 'number',
        value: 1,
        required: true,
        when: is('retryAfter'),
      },
      {
        name: 'delayMs',
        label: 'Delay (ms)',
        type: 'number',
        value: 2000,
        required: true,
        when: is('delayMs'),
      },
      {
        name: 'drop',
        label: 'When',
        type: 'select',
        options: [
          ['before', 'before the effect'],
          ['after', 'after the effect'],
        ],
        when: is('drop'),
      },
      {
        name: 'contentType',
        label: 'Content type',
        value: 'text/html',
        required: true,
        when: is('contentType'),
      },
      {
        name: 'webhook',
        label: 'How',
        type: 'select',
        options: ['duplicate', 'delay', 'drop', 'early', 'reorder'],
        when: is('webhook'),
      },
      { name: 'method', label: 'Method', type: 'select', options: [['', 'any'], 'GET', 'POST', 'PATCH'] },
      {
        name: 'path',
        label: 'Path below /api/v1',
        type: 'list',
        options: state.paths,
        placeholder: 'any; * stands for any characters',
      },
      { name: 'times', label: 'Times', type: 'number', value: 1, required: true },
    ],
    submit: 'Set the fault',
    send: ({ kind, code, method, path, times, ...values }) => {
      const value = ['malformed', 'oversized', 'ignored'].includes(kind) ? true : values[kind];
      const fault = { [kind]: value, ...(kind === 'status' ? { code } : {}) };
      return ['POST', '/faults', { method, path, times, fault }];
    },
    done: ({ times }) => `Set, for ${times === 1 ? 'one request' : `${times} requests`}.`,
  });
}

export function clearFaults() {
  return controlButton({
    label: 'Clear all faults',
    send: () => ['DELETE', '/faults'],
    done: () => 'Cleared.',
  });
}

export function webhookForm(state) {
  const { url, for: summarized } = state.settings.webhook;
  return controlForm({
    title: 'Delivery of final summaries',
    fields: [
      {
        name: 'url',
        label: 'Webhook URL',
        type: 'url',
        value: url,
        required: true,
        placeholder: 'http://127.0.0.1:4570/…',
      },
      { name: 'secret', label: 'Secret', placeholder: "the partner's secret key" },
      {
        name: 'for',
        label: 'Summaries of',
        type: 'select',
        options: [
          ['catalog', 'catalog syncs (as specified)'],
          ['all', 'every batch'],
        ],
        value: summarized,
      },
    ],
    submit: 'Save the webhook',
    send: (values) => ['PUT', '/webhook', values],
    done: () => 'Saved.',
  });
}

export function limitsForm(state) {
  const { requestsPerSecond, maxItems } = state.settings.limits;
  return controlForm({
    title: 'Limits',
    intro: 'For each partner. Empty means no limit.',
    fields: [
      {
        name: 'requestsPerSecond',
        label: 'Requests per second',
        type: 'number',
        step: 'any',
        value: requestsPerSecond,
        placeholder: 'no limit',
      },
      {
        name: 'maxItems',
        label: 'Rows per request',
        type: 'number',
        value: maxItems,
        placeholder: 'no limit',
      },
    ],
    submit: 'Set the limits',
    send: (values) => ['PUT', '/limits', values],
    done: () => 'Set.',
  });
}

export function clockForm(state) {
  return controlForm({
    title: 'Clock',
    intro: "Offset of the server's clock. Beyond 300,000 ms (5 minutes) requests signed now get AUTH_003.",
    fields: [
      {
        name: 'offsetMs',
        label: 'Offset (ms)',
        type: 'number',
        value: state.settings.clockOffsetMs,
        required: true,
      },
    ],
    submit: 'Set the clock',
    send: (values) => ['PUT', '/clock', values],
    done: ({ offsetMs }) =>
      offsetMs === 0 ? 'The clock is correct.' : `The clock is off by ${offsetMs} ms.`,
  });
}

export function resetButton() {
  return controlButton({
    label: 'Reset the sandbox',
    tone: 'danger',
    question:
      'Remove all products, orders, batches, requests, faults and limits? The URL of the webhook stays.',
    send: () => ['POST', '/reset'],
    done: () => 'Reset to the fixtures.',
  });
}

export function blockButton({ clientId, blocked }) {
  return controlButton({
    label: blocked ? 'Unblock the store' : 'Block the store',
    tone: blocked ? undefined : 'danger',
    send: () => ['PUT', `/stores/${encodeURIComponent(clientId)}`, { blocked: !blocked }],
    done: () => '',
  });
}

export function tokenForm(clientId) {
  return controlForm({
    title: 'Change the token',
    fields: [{ name: 'token', label: 'New token', required: true }],
    submit: 'Change the token',
    send: (values) => ['PUT', `/stores/${encodeURIComponent(clientId)}`, values],
    done: () => 'Changed: requests with the old token get AUTH_014.',
  });
}

/** A change by others: of the seller, of another system, or by a mistake of the marketplace. */
export function productForm({ storeClientId, skus }) {
  return controlForm({
    title: 'Change it as the seller would',
    fields: [
      { name: 'sku', label: 'SKU', type: 'select', options: skus },
      { name: 'price', label: 'New price', type: 'number', step: 'any' },
      { name: 'stock', label: 'New stock, in each warehouse', type: 'number' },
    ],
    submit: 'Change the product',
    send: ({ sku, ...values }) => ['PUT', productPath(storeClientId, sku), values],
    done: () => 'Changed.',
  });
}

export function removeButton({ storeClientId, skus: [sku] }) {
  return controlButton({
    label: 'Remove the product',
    tone: 'danger',
    send: () => ['DELETE', productPath(storeClientId, sku)],
    done: () => '',
  });
}

function productPath(storeClientId, sku) {
  return `/stores/${encodeURIComponent(storeClientId)}/products/${encodeURIComponent(sku)}`;
}
