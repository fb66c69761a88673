import type { Attention } from '../../../shared/attention/model.ts';

/** What a button of an entry does. */
export interface EntryAction {
  readonly label: string;
  /** A path of the console with its body. */
  readonly path: string;
  readonly body: unknown;
  /** Asked first, where the answer of a person is recorded or something is dropped. */
  readonly question?: string;
}

const CALL = /^POST (?<path>\/\S+)(?: (?<body>\{.*\}))?$/;
const SOURCE_ARN = /--source-arn \S+:(?<queue>[^\s:]+)/;

type Words = Pick<EntryAction, 'label' | 'question'>;

const LABELS: Readonly<Record<Attention['kind'], Words>> = {
  'partner-refused': { label: '' },
  'tables-restored': {
    label: 'Send again',
    question: 'Is everything replayed, or sent again, that came in since the time of the restored tables?',
  },
  'store-suspended': { label: 'Resume the store' },
  'prices-held': { label: 'Send the held prices', question: 'Send the prices as they are?' },
  'import-held': {
    label: 'Set the missing stock to 0',
    question: 'Set the stock of every product that the file does not name to 0?',
  },
  'listing-contested': {
    label: 'Send the values again',
    question: 'Has the other source of these values stopped?',
  },
  'order-unknown': {
    label: 'Record it as done',
    question: 'Did the marketplace take it? Look the order up in its own pages first.',
  },
  'batch-unresolved': { label: 'Read the rows back' },
  'dead-letters': { label: 'Redrive' },
  'summary-unmatched': { label: 'Discard the summary', question: 'Discard this summary?' },
};

/** The other decision of what is held. */
const DISCARDS: Partial<Record<Attention['kind'], Words & Pick<EntryAction, 'body'>>> = {
  'prices-held': {
    label: 'Discard the held prices',
    question: 'Drop the held prices? The marketplace keeps those that it has.',
    body: { what: 'prices' },
  },
  'import-held': {
    label: 'Keep the missing stock',
    question: 'Keep the stock of the products that the file does not name?',
    body: {},
  },
};

/** The buttons of an entry, the usual one first. None for what the console cannot end, such as a wrong secret. */
export function actionsOf({ kind, call }: Pick<Attention, 'kind' | 'call'>): EntryAction[] {
  const words = LABELS[kind];
  const queue = SOURCE_ARN.exec(call)?.groups?.queue;
  if (kind === 'dead-letters')
    return queue === undefined
      ? []
      : [{ ...words, path: `/dead-letters/${encodeURIComponent(queue)}/redrive`, body: {} }];
  const { path, body = '{}' } = CALL.exec(call)?.groups ?? {};
  if (path === undefined) return [];
  const isResolved = kind === 'batch-unresolved' && path.endsWith('/resolve');
  const first = isResolved
    ? {
        label: 'Record the rows as accepted',
        question: 'Did the marketplace take these rows? They cannot be read back.',
      }
    : words;
  const discard = DISCARDS[kind];
  return [
    { ...first, path: `/api${path}`, body: JSON.parse(body) },
    ...(discard ? [{ ...discard, path: `/api${path.replace(/release$/, 'discard')}` }] : []),
  ];
}
