import { type Command, Option } from 'commander';
import * as z from 'zod';
import { orderViewSchema } from '../../shared/orders/model.ts';
import type { ApiCall, Path } from '../clients/api-client.ts';
import { allPages } from '../clients/pages.ts';
import { type Context, withContext } from '../context.ts';
import { addCommand, examples } from '../help.ts';
import { fields, table } from '../render/table.ts';
import { time } from '../render/words.ts';

type OrderView = z.infer<typeof orderViewSchema>;

interface OrderOptions {
  readonly store: string;
  readonly invoiceNumber?: boolean;
}
interface ActionOptions extends OrderOptions {
  readonly action: 'decision' | 'dropoff';
}

const ACTIONS = ['decision', 'dropoff'] as const;

/** Adds `orders` and its commands. */
export function addOrders(program: Command): void {
  const orders = program.command('orders').description('decisions and dropoffs of orders, and their outcome');
  const ofOrder = (name: string, description: string) =>
    orders
      .command(name)
      .description(description)
      .argument('<order>', 'order ID, or invoice number with --invoice-number')
      .requiredOption('--store <storeClientId>', 'the store')
      .option('--invoice-number', 'the argument is an invoice number');
  const action = () =>
    new Option('--action <action>', 'what has an unknown outcome').choices(ACTIONS).makeOptionMandatory();

  ofOrder('list', 'what was done with an order through this stack')
    .addHelpText('after', examples('orders list ORDER --store store-1wh'))
    .action(withContext<OrderOptions>(show));
  addCommand(orders, 'unknown', 'orders with a decision or dropoff of unknown outcome, the longest first', [
    'orders unknown --store store-1wh',
  ])
    .requiredOption('--store <storeClientId>', 'the store')
    .action(withContext<{ store: string }>(listUnknown));
  ofOrder('resolve', 'say how a decision or dropoff of unknown outcome ended')
    .addOption(action())
    .addOption(
      new Option('--outcome <outcome>', 'done, or refused: then it may be given again')
        .choices(['done', 'refused'])
        .makeOptionMandatory(),
    )
    .addHelpText(
      'after',
      examples('orders resolve ORDER --store store-1wh --action decision --outcome done --yes'),
    )
    .action(withContext<ActionOptions & { outcome: string }>(resolve));
  ofOrder('retry', 'send a decision or dropoff of unknown outcome once more')
    .addOption(action())
    .addHelpText('after', examples('orders retry ORDER --store store-1wh --action dropoff --yes'))
    .action(withContext<ActionOptions>(retry));
}

function referenceOf(
  order: string,
  { invoiceNumber = false }: OrderOptions,
): Readonly<Record<string, string>> {
  return invoiceNumber ? { invoiceNumber: order } : { orderId: order };
}

async function show(context: Context, options: OrderOptions, order = ''): Promise<void> {
  await showAnswer(context, 'GET', ['stores', options.store, 'orders'], {
    query: referenceOf(order, options),
  });
}

async function showAnswer({ api, show }: Context, method: string, path: Path, call: ApiCall): Promise<void> {
  const order = await api.call(orderViewSchema, method, path, call);
  show(order, () => describe(order));
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
    ([kind, document]) => [kind, document && `${document.state} ${time(document.at)}`] as const,
  );
  return fields([
    ['order', orderId ?? invoiceNumber],
    ['store', storeClientId],
    ['decision', decision && actionText(decision)],
    ['dropoff', dropoff && actionText(dropoff)],
    ...stored,
  ]);
}

function actionText({
  state,
  decision,
  endedAt,
  startedAt,
  code,
  message,
}: NonNullable<OrderView['decision']>) {
  return [state, decision, time(endedAt ?? startedAt), code, message].filter(Boolean).join(' · ');
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
  { outcome, action, ...options }: ActionOptions & { outcome: string },
  order = '',
): Promise<void> {
  await context.confirm(`Record that the ${action} of ${order} is ${outcome}?`);
  const body = { ...referenceOf(order, options), action, outcome };
  await showAnswer(context, 'POST', ['stores', options.store, 'orders', 'resolve'], { body });
}

async function retry(context: Context, { action, ...options }: ActionOptions, order = ''): Promise<void> {
  const { api, show, confirm } = context;
  await confirm(`Send the ${action} of ${order} once more? It may have taken effect before.`);
  const body = { ...referenceOf(order, options), action };
  const answer = z.looseObject({ message: z.string().optional() });
  const sent = await api.call(answer, 'POST', ['stores', options.store, 'orders', 'retry'], { body });
  show(sent, () => sent.message ?? `sent the ${action} of ${order}`);
}
