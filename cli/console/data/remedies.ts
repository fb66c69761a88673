import type { Attention, Remedy } from '../../../shared/attention/model.ts';
import { commandOf } from '../../invocation.ts';
import { commandsOf, readCall } from '../../render/way-out.ts';
import type { ConsoleOptions } from '../console-options.ts';

/** One way to end what waits for a person, as the page offers it. */
export interface ShownRemedy {
  readonly name: Remedy['name'];
  /** When it is the right one. */
  readonly text: string;
  /** What its button does. Absent for what only a command can do, such as replacing the secret. */
  readonly button?: RemedyButton;
  /** The command that does the same. */
  readonly command: string;
}

interface RemedyButton {
  readonly label: string;
  /** A path of the console with its body. */
  readonly path: string;
  readonly body: object;
  /** Asked first, where something is dropped or a person's word is recorded. */
  readonly question?: string;
  /** What a person must give, or may give: a field of the body. */
  readonly asks?: 'storeToken' | 'reason';
}

type Words = Pick<RemedyButton, 'label' | 'question' | 'asks'>;
type Names = `${Attention['kind']} ${Remedy['name']}`;

const ASK_MARKETPLACE = 'Have you looked it up at the marketplace?';

/** Buttons by kind and remedy. A remedy that is not here has its command only. */
const WORDS: Partial<Record<Names, Words>> = {
  'tables-restored end-restore': {
    label: 'Send again',
    question: 'Is everything replayed, or sent again, that came in since the time of the restored tables?',
  },
  'store-suspended rotate-token': { label: 'Check and save the token', asks: 'storeToken' },
  'store-suspended resume': { label: 'Resume the store' },
  'order-unknown resolve-accepted': { label: 'It was done', question: ASK_MARKETPLACE, asks: 'reason' },
  'order-unknown resolve-rejected': {
    label: 'It was not done',
    question: ASK_MARKETPLACE,
    asks: 'reason',
  },
  'order-unknown retry': { label: 'Try again', question: ASK_MARKETPLACE },
  'dead-letters redrive': { label: 'Redrive' },
  'prices-held release': { label: 'Send the held prices', question: 'Send the prices as they are?' },
  'prices-held discard': {
    label: 'Discard the held prices',
    question: 'Drop the held prices? The marketplace keeps those that it has.',
  },
  'batch-unresolved read-back': { label: 'Read the rows back' },
  'batch-unresolved resolve-accepted': { label: 'Record the rows as accepted', question: ASK_MARKETPLACE },
  'batch-unresolved resolve-rejected': { label: 'Record the rows as rejected', question: ASK_MARKETPLACE },
  'import-held release': { label: 'Set the missing stock to 0', question: 'Set that stock to 0?' },
  'import-held discard': { label: 'Keep the missing stock', question: 'Keep that stock?' },
  'import-failed discard': { label: 'Leave it', question: 'Is nothing of this file needed?' },
  'listing-contested repair': {
    label: 'Send the values again',
    question: 'Has the other source of these values stopped?',
  },
  'store-unbound rotate-token': { label: 'Check and save the token', asks: 'storeToken' },
  'store-unbound discard': {
    label: 'Discard everything',
    question: 'Drop all prices and stock that wait for this store, and reject its commands?',
  },
  'summary-unmatched discard': { label: 'Discard the summary', question: 'Discard this summary?' },
};

/** Of a file whose numbers can be read in two ways. */
const NUMBERS: Partial<Record<Remedy['name'], Words>> = {
  release: {
    label: 'Read the comma as decimal sign',
    question: 'Does the file write 1,5 for one and a half?',
  },
  discard: { label: 'Leave these rows rejected', question: 'Leave these rows rejected?' },
};

/** The remedies of an entry with their buttons and commands. */
export function shownRemedies(
  { kind, remedies }: Pick<Attention, 'kind' | 'remedies'>,
  { target, program }: Pick<ConsoleOptions, 'target' | 'program'>,
): ShownRemedy[] {
  // A file whose numbers can be read in two ways is held for another reason than one that leaves stock out.
  const isOfNumbers = kind === 'import-held' && remedies.some(({ call }) => call.includes('"decimal"'));
  return remedies.map(({ name, text, call }) => {
    const [words] = commandsOf([call]);
    const button = buttonOf(isOfNumbers ? NUMBERS[name] : WORDS[`${kind} ${name}`], call);
    return {
      name,
      text,
      ...(button && { button }),
      command: words === undefined ? call : commandOf(target, words, program),
    };
  });
}

function buttonOf(words: Words | undefined, call: string): RemedyButton | undefined {
  if (words === undefined) return undefined;
  const { queue, path, body } = readCall(call);
  if (queue !== undefined)
    return { ...words, path: `/dead-letters/${encodeURIComponent(queue)}/redrive`, body: {} };
  if (path === '') return undefined;
  if (words.asks === 'storeToken') return { ...words, path: `${path}/token`, body: {} };
  return { ...words, path: `/api${path}`, body };
}
