import { Argument, type Command, Option } from 'commander';
import { MOST_KEPT } from '../../shared/changes/change-events.ts';
import { type IncomingDetailType, incomingDetailTypes } from '../../shared/events/incoming.ts';
import type { Trace } from '../../shared/trace/model.ts';
import { type Context, withContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { detailOf, type Fields, fieldsOf, flagOf } from '../events/detail.ts';
import { readTrace } from '../events/find-traces.ts';
import { checkDetail, putEvent } from '../events/put-event.ts';
import { readDetail } from '../events/read-detail.ts';
import { hasEnded, hasFailed } from '../events/trace-end.ts';
import { EXIT } from '../exit-codes.ts';
import { examples, numberOption, timeoutOption, wholeNumberOption } from '../help.ts';
import { wordsOf } from '../invocation.ts';
import { renderTrace } from '../render/trace.ts';
import { poll } from '../wait.ts';

interface Options extends Fields {
  readonly detail?: string;
  readonly wait?: boolean;
  readonly timeout: number;
}

export function addTrigger(program: Command): void {
  program
    .command('trigger')
    .description("put an event on the stack's bus, as your systems do")
    .addArgument(new Argument('<type>', 'detail-type of the event').choices(incomingDetailTypes))
    .option('--store <storeClientId>', 'the store')
    .option('--detail <file>', 'the whole detail as JSON, from a file or - (standard input)')
    .option('--sku <sku>', 'a product by SKU')
    .option('--id <id>', 'a product by its ID at the marketplace')
    .option('--external-id <externalId>', 'a product by your own ID')
    .option('--stock <number>', 'its stock', wholeNumberOption)
    .option('--warehouse <clientId>', 'the warehouse of the stock')
    .option('--price <number>', 'its price', numberOption)
    .option('--special-price <number>', 'its special price', numberOption)
    .option('--order <orderId>', 'an order')
    .addOption(new Option('--decision <decision>', 'the decision').choices(['accept', 'reject']))
    .option('--reason-code <code>', 'why the order is rejected')
    .option('--reason <text>', 'why the order is rejected, in words')
    .addOption(new Option('--document <document>', 'the document').choices(['shipping-label', 'invoice']))
    .option('--wait', 'follow the event to its end')
    .addOption(timeoutOption('how long --wait waits', 60))
    .addHelpText(
      'after',
      examples(
        'trigger stock.changed --store store-0wh --sku DEMO-1 --stock 5 --wait',
        'trigger price.changed --store store-0wh --sku DEMO-1 --price 99000',
        'trigger order.decision.requested --store store-0wh --order ORDER --decision accept',
        'trigger catalog.sync.requested --store store-0wh --detail products.json',
      ),
    )
    .action(withContext<Options>(trigger));
}

async function trigger(context: Context, options: Options, type: string): Promise<void> {
  const detailType = type as IncomingDetailType;
  const detail = checkDetail(detailType, await givenDetail(detailType, options));
  if (options.wait && /^(stock|price)\./.test(detailType)) checkFollowed(detail);
  const { show, terminal, isJson, target, confirm } = context;
  if (!target.isLocal) await confirm(`Put ${detailType} on the bus of ${target.name}?`);
  const eventId = await putEvent(context, detailType, detail);
  if (!options.wait) return show({ eventId, detailType, detail }, () => `event ${eventId}`);
  if (!isJson) terminal.note(`event ${eventId}`);
  const trace = await followToEnd(context, eventId, options.timeout);
  show(trace, () => renderTrace(trace, terminal));
  if (hasFailed(trace.steps))
    throw new CliError('a part of the event was rejected or failed', {
      code: 'EVENT_FAILED',
      exitCode: EXIT.failed,
    });
}

/** @throws CliError for more stock or prices than a trace shows: its end would be that of a part */
function checkFollowed({ items = [] }: { items?: readonly unknown[] }): void {
  if (items.length > MOST_KEPT)
    throw usageError(
      `--wait follows an event of at most ${MOST_KEPT} items`,
      'Leave it out: see `batches list`.',
    );
}

async function givenDetail(type: IncomingDetailType, options: Options): Promise<object> {
  if (options.detail === undefined) return detailOf(type, options);
  const given = Object.keys(fieldsOf(options)).filter((name) => name !== 'store');
  if (given.length > 0)
    throw usageError(`--detail is the whole detail: leave out ${given.map(flagOf).join(', ')}`);
  const detail: { storeClientId?: unknown } = await readDetail(options.detail);
  const { store = detail.storeClientId } = options;
  const { storeClientId = store } = detail;
  if (storeClientId !== store) throw usageError(`the detail is of store ${storeClientId}, not of ${store}`);
  return { ...detail, storeClientId };
}

async function followToEnd({ api }: Context, eventId: string, withinMs: number): Promise<Trace> {
  return poll(
    async () => {
      const trace = await readTrace(api, { eventId });
      return trace && hasEnded(trace.steps) ? trace : undefined;
    },
    {
      withinMs,
      what: `the end of event ${eventId}`,
      hint: `It goes on by itself: \`${wordsOf('trace', [eventId])}\` tells what it waits for. This command given again puts another event.`,
    },
  );
}
