import { type Command, Option } from 'commander';
import { definedOf } from '../../shared/collections/defined-of.ts';
import { callControl, SANDBOX_URL } from '../clients/sandbox-client.ts';
import { type GlobalOptions, outputWith } from '../context.ts';
import { usageError } from '../errors.ts';
import { readSecretFile } from '../files.ts';
import { addCommand, examples, portOption, wholeNumberOption } from '../help.ts';
import { runProgram } from '../programs/run-program.ts';

interface SandboxOptions extends GlobalOptions {
  readonly url: string;
}

interface FaultOptions extends SandboxOptions {
  readonly clear?: boolean;
  readonly path?: string;
  readonly method?: string;
  readonly times?: number;
  readonly status?: number;
  readonly code?: string;
  readonly delay?: number;
  readonly drop?: string;
  readonly malformed?: boolean;
  readonly retryAfter?: number;
  readonly webhook?: string;
}

const SUB_STATUSES = [
  'pending',
  'confirmed',
  'waiting_pickup',
  'waiting_drop_off',
  'in_transit',
  'delivered',
  'order_completed',
  'complaint_resolved',
  'cancelled',
];

/** Adds `sandbox` and its commands, which start the sandbox marketplace and call its controls. */
export function addSandbox(program: Command): void {
  const sandbox = program
    .command('sandbox')
    .description('the sandbox marketplace and its controls (docs/sandbox.md)');
  addCommand(sandbox, 'start', 'run it on this machine, until Ctrl-C', [
    'sandbox start',
    'sandbox start --port 0',
  ])
    .option('--port <port>', 'its port; 0: any free one (default: SANDBOX_PORT, otherwise 4568)', portOption)
    .action(({ port }: { port?: number }) =>
      runProgram('sandbox', port === undefined ? [] : [`--port=${port}`]),
    );
  const add = (name: string, description: string) =>
    sandbox.command(name).description(description).option('--url <url>', 'the sandbox', SANDBOX_URL);
  add('order', 'make an order, as a buyer does')
    .requiredOption('--store <storeClientId>', 'the store')
    .addOption(new Option('--status <subStatus>', 'its state').choices(SUB_STATUSES).default('pending'))
    .option('--complained', 'the buyer has complained')
    .addHelpText('after', examples('sandbox order --store store-0wh'))
    .action((_: object, command: Command) => makeOrder(command.optsWithGlobals()));
  addFault(add('fault', 'make later requests fail, or clear the faults'));
  add('webhook', 'say where final summaries go')
    .requiredOption('--to <url>', 'the URL that takes them')
    .option(
      '--secret-file <file>',
      "file with the secret that signs them (default: the partner's secret key)",
    )
    .addOption(new Option('--for <batches>', 'for which batches').choices(['catalog', 'all']))
    .addHelpText(
      'after',
      examples('sandbox webhook --to http://127.0.0.1:4567/webhooks/marketplace --for all'),
    )
    .action((_: object, command: Command) => setWebhook(command.optsWithGlobals()));
  add('reset', 'back to the fixtures: products, orders, batches and faults are dropped')
    .addHelpText('after', examples('sandbox reset --yes'))
    .action((_: object, command: Command) => reset(command.optsWithGlobals()));
  add('clock', "shift the sandbox's clock")
    .requiredOption('--offset <milliseconds>', 'how far ahead; behind as --offset=-1000', wholeMilliseconds)
    .addHelpText('after', examples('sandbox clock --offset 600000', 'sandbox clock --offset 0'))
    .action((_: object, command: Command) => setClock(command.optsWithGlobals()));
}

function addFault(command: Command): void {
  command
    .option('--path <path>', 'path below /api/v1; * stands for any characters (default: every path)')
    .option('--method <method>', 'HTTP method (default: every one)')
    .option('--times <number>', 'how many requests it acts on (default: 1)', wholeNumberOption)
    .option('--status <status>', 'answer with this status and have no effect', wholeNumberOption)
    .option('--code <code>', 'error code of the status')
    .option('--delay <milliseconds>', 'wait before the effect', wholeNumberOption)
    .addOption(
      new Option('--drop <when>', 'cut the connection before or after the effect').choices([
        'before',
        'after',
      ]),
    )
    .option('--malformed', 'answer with half a body, after the effect')
    .option('--retry-after <seconds>', 'answer 429 with Retry-After', wholeNumberOption)
    .addOption(
      new Option('--webhook <fault>', 'what happens to the final summary').choices([
        'duplicate',
        'delay',
        'drop',
        'early',
        'reorder',
      ]),
    )
    .option('--clear', 'take back all faults that have not acted yet')
    .addHelpText(
      'after',
      examples(
        "sandbox fault --path '/partner/stores/inventory' --drop after",
        'sandbox fault --status 503 --times 5',
        'sandbox fault --clear',
      ),
    )
    .action((_: object, self: Command) => setFault(self.optsWithGlobals()));
}

function wholeMilliseconds(text: string): number {
  if (/^-?\d{1,12}$/.test(text)) return Number(text);
  throw usageError(`--offset must be whole milliseconds, not ${text}`);
}

function call({ url }: SandboxOptions, method: string, path: string, body?: object): Promise<object> {
  return callControl(url, method, path, body);
}

async function makeOrder(
  options: SandboxOptions & { store: string; status: string; complained?: boolean },
): Promise<void> {
  const { store: storeClientId, status: subStatus, complained } = options;
  const order = await call(options, 'POST', '/orders', {
    storeClientId,
    subStatus,
    ...(complained && { complained }),
  });
  const { orderId, invoiceNumber } = order as { orderId: string; invoiceNumber: string };
  outputWith(options).show(order, () => `order ${orderId}, invoice number ${invoiceNumber}`);
}

async function setFault(options: FaultOptions): Promise<void> {
  const { show } = outputWith(options);
  if (options.clear) return show(await call(options, 'DELETE', '/faults'), () => 'no faults');
  const { path, method, times, status, code, delay, drop, malformed, retryAfter, webhook } = options;
  const fault = definedOf({ status, code, delayMs: delay, drop, malformed, retryAfter, webhook });
  if (Object.keys(fault).length === 0)
    throw usageError('no fault', 'Give --status, --delay, --drop, --malformed, --retry-after or --webhook.');
  const set = await call(options, 'POST', '/faults', { ...definedOf({ path, method, times }), fault });
  show(set, () => `${JSON.stringify(fault)} for the next ${requestsText(times, method, path)}`);
}

/** `request`, `3 requests: PATCH /partner/stores/products/prices`. */
function requestsText(times = 1, method?: string, path?: string): string {
  const which = [method, path].filter(Boolean).join(' ');
  return `${times === 1 ? 'request' : `${times} requests`}${which && `: ${which}`}`;
}

async function setWebhook(
  options: SandboxOptions & { to: string; secretFile?: string; for?: string },
): Promise<void> {
  const { to: url, secretFile, for: batches } = options;
  const secret = secretFile === undefined ? undefined : await readSecretFile(secretFile);
  const set = await call(options, 'PUT', '/webhook', { url, ...definedOf({ secret, for: batches }) });
  outputWith(options).show(set, () => `final summaries go to ${url}`);
}

async function reset(options: SandboxOptions): Promise<void> {
  const { show, confirm } = outputWith(options);
  await confirm('Drop all products, orders and batches of the sandbox?');
  show(await call(options, 'POST', '/reset'), () => 'the sandbox has its fixtures again');
}

async function setClock(options: SandboxOptions & { offset: number }): Promise<void> {
  const set = await call(options, 'PUT', '/clock', { offsetMs: options.offset });
  outputWith(options).show(set, () => `the sandbox's clock is ${clockText(options.offset)}`);
}

function clockText(offset: number): string {
  if (offset === 0) return 'right';
  return `${Math.abs(offset)} ms ${offset > 0 ? 'ahead' : 'behind'}`;
}
