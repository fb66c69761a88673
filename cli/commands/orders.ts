import { type Command, Option } from 'commander';
import * as z from 'zod';
import { type Erasure, erasureSchema } from '../../shared/documents/erase-order.ts';
import { type OrderAction, orderActionSchema } from '../../shared/marketplace/fields.ts';
import {
  type DocumentRecord,
  type OrderView,
  type OrderWait,
  orderViewSchema,
} from '../../shared/orders/model.ts';
import { allPages, entriesFrom } from '../clients/pages.ts';
import { type Context, withContext } from '../context.ts';
import { ApiError, CliError, usageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { forEach, oneOrAll } from '../for-each.ts';
import { addCommand, cursorOption, examples, type PageOptions, wholeNumberOption } from '../help.ts';
import { commandOf, wordsOf } from '../invocation.ts';
import { waitingOf, waitingText } from '../orders/waiting.ts';
import { fields, table } from '../render/table.ts';
import { triesText } from '../render/tries.ts';
import { moreBehind, noneOf, time } from '../render/words.ts';

interface OrderOptions {
  readonly store: string;
  readonly invoiceNumber?: boolean;
}
interface ActionOptions extends OrderOptions {
  readonly action: OrderAction;
}

interface ListOptions extends OrderOptions, PageOptions {
  readonly state?: string;
}

interface ResolveOptions extends ActionOptions {
  readonly outcome?: Outcome;
  readonly reason?: string;
}

const ACTIONS = orderActionSchema.options;
const STATES = ['sending', 'accepted', 'rejected', 'unknown'] as const;
const OUTCOMES = ['accepted', 'rejected', 'retry'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** The three choices, in words. */
const CHOICES: Readonly<Record<Outcome, string>> = {
  accepted: 'It was done',
  rejected: 'It was not done: it may be given again',
  retry: 'Try it again: it may take effect twice',
};

export function addOrders(program: Command): void {
  const orders = program.command('orders').description('decisions and dropoffs of orders, and their outcome');
  const ofOrder = (name: string, description: string, operand = 'order') =>
    orders
      .command(name)
      .description(description)
      .argument(`<${operand}>`, 'order ID, or invoice number with --invoice-number')
      .requiredOption('--store <storeClientId>', 'the store')
      .option('--invoice-number', 'the argument is an invoice number');
  const action = () =>
    new Option('--action <action>', 'what has an unknown outcome').choices(ACTIONS).makeOptionMandatory();

  addCommand(
    orders,
    'list',
    'what was done with the orders of a store, or with one, the newest request first',
    ['orders list --store store-1wh --state unknown', 'orders list ORDER --store store-1wh'],
  )
    .argument('[order]', 'only this one: order ID, or invoice number with --invoice-number')
    .requiredOption('--store <storeClientId>', 'the store')
    .option('--invoice-number', 'the argument is an invoice number')
    .addOption(new Option('--state <state>', 'decision or dropoff in this state').choices(STATES))
    .option('--limit <number>', 'most orders', wholeNumberOption, 20)
    .addOption(cursorOption())
    .action(withContext<ListOptions, [string?]>(list));
  addCommand(orders, 'unknown', 'orders with a decision or dropoff of unknown outcome, the longest first', [
    'orders unknown --store store-1wh',
  ])
    .requiredOption('--store <storeClientId>', 'the store')
    .action(withContext<{ store: string }>(listUnknown));
  ofOrder('resolve', 'end a decision or dropoff of unknown outcome, by one of three choices', 'order...')
    .addOption(action())
    .addOption(
      new Option(
        '--outcome <outcome>',
        'accepted: it was done, whichever decision it is; rejected: it was not, and may be given again; retry: try it again. Without it the choices are shown',
      ).choices(OUTCOMES),
    )
    .option('--reason <text>', 'how you know it; it is kept with the order')
    .addHelpText(
      'after',
      examples(
        'orders resolve ORDER --store store-1wh --action decision',
        'orders resolve ORDER --store store-1wh --action decision --outcome accepted --reason "seen in the seller panel" --yes',
      ),
    )
    .action(withContext<ResolveOptions, [string[]]>(resolve));
  ofOrder('retry', 'send a decision or dropoff of unknown outcome once more', 'order...')
    .addOption(action())
    .addHelpText('after', examples('orders retry ORDER --store store-1wh --action dropoff --yes'))
    .action(withContext<ActionOptions, [string[]]>(retry));
  ofOrder('erase', 'erase the documents and records of orders, and say what is left', 'order...')
    .addHelpText('after', examples('orders erase ORDER --store store-1wh'))
    .action(withContext<OrderOptions, [string[]]>(erase));
}

function referenceOf(
  order: string,
  { invoiceNumber = false }: OrderOptions,
): Readonly<Record<string, string>> {
  return invoiceNumber ? { invoiceNumber: order } : { orderId: order };
}

async function list(context: Context, options: ListOptions, order?: string): Promise<void> {
  if (order !== undefined) return listOne(context, options, order);
  const { api, show, terminal } = context;
  const { store, state, limit, cursor } = options;
  const path = ['stores', store, 'orders'];
  const page = await entriesFrom(api, path, { orders: orderViewSchema }, { state, limit, cursor });
  const { entries: orders, cursor: next } = page;
  const rows = orders.map(({ orderId, invoiceNumber, decision, dropoff, documents = {}, waits = [] }) => [
    orderId ?? invoiceNumber ?? '',
    decision ? actionText(decision) : '',
    dropoff ? actionText(dropoff) : '',
    Object.entries(documents)
      .map(([kind, document]) => `${kind} ${document?.state}`)
      .join(', '),
    waits.map(waitText).join('; '),
  ]);
  show({ orders, ...(next !== undefined && { cursor: next }) }, () =>
    [
      rows.length === 0
        ? noneOf(
            `order of ${store}${state === undefined ? '' : ` whose decision or dropoff is ${state}`}`,
            cursor,
          )
        : table(terminal, ['ORDER', 'DECISION', 'DROPOFF', 'DOCUMENTS', 'WAITS'], rows),
      ...moreBehind(next),
    ].join('\n'),
  );
}

async function listOne({ api, show }: Context, options: OrderOptions, order: string): Promise<void> {
  const { store } = options;
  const names = referenceOf(order, options);
  const [one, waiting] = await Promise.all([
    api
      .call(orderViewSchema, 'GET', ['stores', store, 'orders'], { query: names })
      .catch((error: unknown) => ({ error })),
    waitingOf(api, { ...names, storeClientId: store }),
  ]);
  const last = waiting.at(-1);
  const shownWith = (facts: string) => [facts, ...waiting.map(waitingText)].join('\n\n');
  if (!('error' in one))
    return show({ ...one, ...(last && { waiting: last }) }, () => shownWith(describe(one)));
  // Before its command's first delivery has ended, an order has no record.
  if (last === undefined || !isUnknownOrder(one.error)) throw one.error;
  show({ ...names, storeClientId: store, waiting: last }, () =>
    shownWith(fields([...Object.entries(names), ['store', store]])),
  );
}

function isUnknownOrder(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'ORDER_UNKNOWN';
}

function describe({
  storeClientId,
  orderId,
  invoiceNumber,
  decision,
  dropoff,
  documents = {},
}: OrderView): string {
  const stored = Object.entries(documents).map(
    ([kind, document]) => [kind, document && documentText(document)] as const,
  );
  return fields([
    ['order', orderId ?? invoiceNumber],
    ['store', storeClientId],
    ['decision', decision && actionText(decision)],
    ['dropoff', dropoff && actionText(dropoff)],
    ...stored,
  ]);
}

export function documentText({ state, at, code, message, key }: DocumentRecord): string {
  const left = state === 'failed' && key !== undefined && 'the earlier PDF is still stored';
  return [state, time(at), code, message, left].filter(Boolean).join(' · ');
}

export function waitText({ detailType, document, code, message, nextAt }: OrderWait): string {
  const what = document ?? detailType.replace(/^order[.](.+)[.]requested$/, '$1');
  return `the ${what} waits: ${message} · ${code} · next try ${time(nextAt)}`;
}

function actionText({
  state,
  decision,
  endedAt,
  startedAt,
  code,
  message,
  tries,
}: NonNullable<OrderView['decision']>) {
  const end = [state, decision, time(endedAt ?? startedAt), code, message];
  return [...end, triesText(tries)].filter(Boolean).join(' · ');
}

async function listUnknown({ api, show, terminal }: Context, { store }: { store: string }): Promise<void> {
  const orders = await allPages(api, ['stores', store, 'orders', 'unknown'], { orders: orderViewSchema });
  const rows = orders.flatMap((order) =>
    ACTIONS.flatMap((action) => {
      const record = order[action];
      if (record?.state !== 'unknown' && record?.state !== 'sending') return [];
      return [[order.orderId ?? order.invoiceNumber ?? '', action, actionText(record)]];
    }),
  );
  show(orders, () =>
    rows.length === 0
      ? `No order of ${store} has an unknown outcome.`
      : table(terminal, ['ORDER', 'ACTION', 'STATE'], rows),
  );
}

async function resolve(
  context: Context,
  { outcome, reason, ...options }: ResolveOptions,
  orders: readonly string[],
): Promise<void> {
  if (outcome === undefined) return showChoices(context, options, orders);
  if (outcome === 'retry') {
    if (reason !== undefined) throw usageError('--reason is of an outcome: a retry has none yet');
    return retry(context, options, orders);
  }
  const { api, show, confirm } = context;
  const { action, store } = options;
  await confirm(`Record of the ${action} of ${orders.join(', ')}: ${CHOICES[outcome]}?`);
  const resolved = await forEach(orders, (order) => {
    const body = { ...referenceOf(order, options), action, outcome, reason };
    return api.call(orderViewSchema, 'POST', ['stores', store, 'orders', 'resolve'], { body });
  });
  show(oneOrAll(resolved), () => resolved.map(describe).join('\n\n'));
}

/** What is known of each order, and the three choices, which are equal. */
async function showChoices(
  { api, show, target }: Context,
  options: ActionOptions,
  orders: readonly string[],
): Promise<void> {
  const { action, store, invoiceNumber } = options;
  const known = await forEach(orders, async (order) => {
    const query = referenceOf(order, options);
    const view = await api.call(orderViewSchema, 'GET', ['stores', store, 'orders'], { query });
    throwIfKnown(view[action]?.state, action);
    return view;
  });
  const flags = [...(invoiceNumber ? ['--invoice-number'] : []), '--store', store, '--action', action];
  const choices = OUTCOMES.map((outcome) => ({
    outcome,
    text: CHOICES[outcome],
    command: commandOf(target, wordsOf('orders resolve', orders, [...flags, '--outcome', outcome])),
  }));
  show({ orders: known, choices }, () =>
    [
      known.map(describe).join('\n\n'),
      `\nLook it up in the marketplace's own pages: was the ${action} done? Then choose one:`,
      ...choices.flatMap(({ text, command }) => [`  ${text}:`, `  → ${command}`]),
    ].join('\n'),
  );
}

/** The call that would end it is refused in the same words. */
function throwIfKnown(state: string | undefined, action: OrderAction): void {
  if (state === 'unknown' || state === 'sending') return;
  throw new CliError(`the ${action} of this order is ${state ?? 'not given'}`, {
    code: 'ORDER_NOT_UNKNOWN',
    exitCode: EXIT.failed,
    hint: 'There is nothing to choose.',
  });
}

async function retry(
  { api, show, confirm }: Context,
  { action, ...options }: ActionOptions,
  orders: readonly string[],
): Promise<void> {
  await confirm(`Send the ${action} of ${orders.join(', ')} once more? It may have taken effect before.`);
  const answer = z.looseObject({ message: z.string().optional() });
  const sent = await forEach(orders, (order) => {
    const body = { ...referenceOf(order, options), action };
    return api.call(answer, 'POST', ['stores', options.store, 'orders', 'retry'], { body });
  });
  show(oneOrAll(sent), () =>
    sent.map(({ message }, index) => message ?? `sent the ${action} of ${orders[index]}`).join('\n'),
  );
}

async function erase(
  { api, show, confirm }: Context,
  options: OrderOptions,
  orders: readonly string[],
): Promise<void> {
  await confirm(
    `Erase the documents and records of ${orders.join(', ')}? A decision that is given again is sent again.`,
  );
  const erased = await forEach(orders, (order) =>
    api.call(erasureSchema, 'POST', ['stores', options.store, 'orders', 'erase'], {
      body: referenceOf(order, options),
    }),
  );
  show(oneOrAll(erased), () =>
    erased.map((erasure, index) => erasureText(orders[index] ?? '', erasure)).join('\n\n'),
  );
}

function erasureText(order: string, { erased, left }: Erasure): string {
  const { documents, records, rejections } = erased;
  const gone = [...documents, ...records, ...rejections.map((id) => `rejection ${id}`)];
  return [
    gone.length === 0
      ? `${order}: nothing was found under this name.`
      : `${order}: erased ${gone.join(', ')}.`,
    ...left.map(({ where, what, goneBy }) => `  left in ${where}: ${what}, gone by ${time(goneBy)}`),
  ].join('\n');
}
