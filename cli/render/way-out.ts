import type { Attention, Remedy } from '../../shared/attention/model.ts';
import { wordsOf } from '../invocation.ts';

const CALL = /^(?<method>POST|PUT) (?<path>\/\S+)(?: (?<body>\{.*\}))?$/;
/** The dead-letter queue in the AWS command. */
const SOURCE_ARN = /--source-arn \S+:(?<queue>[^\s:]+)/;

/** A call as `GET /attention` writes it: a redrive of the dead-letter queue `queue`, or a route with its body. */
export function readCall(call: Remedy['call']) {
  const { queue } = SOURCE_ARN.exec(call)?.groups ?? {};
  const { method, path = '', body = '{}' } = CALL.exec(call)?.groups ?? {};
  return { queue, method, path, body: JSON.parse(body) };
}

/** Reads the token from standard input: as an option it would be seen by others. */
const TOKEN = ['--token-file', '-'];

/** The fields of the bodies. */
interface Facts {
  readonly orderId?: string;
  readonly invoiceNumber?: string;
  readonly action?: string;
  readonly outcome?: string;
  readonly rest?: string;
  readonly targets?: readonly string[];
  readonly decimal?: string;
  readonly what?: string;
}

/** A command of this command line after the program's name: its name, its arguments and its options. */
type Words = readonly [command: string, operands: readonly string[], options: readonly string[]];

interface Remedies {
  readonly name: Remedy['name'];
  readonly calls: readonly Remedy['call'][];
}

/** The commands that show what to look at before a remedy is chosen. */
export function lookCommands(kind: Attention['kind'], remedies: readonly Remedies[]): string[] {
  const calls = remedies[0]?.calls ?? [];
  if (kind === 'import-failed') {
    const discarded = remedies.find(({ name }) => name === 'discard')?.calls ?? [];
    return commandsOf(discarded).map((words) => words.replace(/^imports discard/, 'imports show'));
  }
  if (kind === 'dead-letters') return calls.map((call) => wordsOf('dlq show', [readCall(call).queue ?? '']));
  // Without an outcome it shows the orders and the choices.
  if (kind === 'order-unknown') return commandsOf(calls).map((words) => words.replace(/ --outcome \w+/, ''));
  return [];
}

/** The command that shows what to look at first, or else that of the first remedy. */
export function wayOut({ kind, remedies }: Pick<Attention, 'kind' | 'remedies'>): string | undefined {
  const each = remedies.map(({ name, call }) => ({ name, calls: [call] }));
  return [...lookCommands(kind, each), ...commandsOf(each[0]?.calls ?? [])][0];
}

/** The commands that make the calls of a remedy: one for all where a command takes several. None for a call that no command makes. */
export function commandsOf(calls: readonly Remedy['call'][]): string[] {
  const merged = new Map<string, Words>();
  for (const call of calls) {
    const words = wordsOfCall(call);
    if (words === undefined) continue;
    const [command, operands, options] = words;
    const key = JSON.stringify(ONE_AT_A_TIME.has(command) ? words : [command, options]);
    const [, others = []] = merged.get(key) ?? [];
    merged.set(key, [command, [...new Set([...others, ...operands])], options]);
  }
  return [...merged.values()].map(([command, operands, options]) => wordsOf(command, operands, options));
}

/** Commands that take one argument. */
const ONE_AT_A_TIME: ReadonlySet<string> = new Set([
  'stores rotate',
  'stores discard',
  'dlq redrive',
  'dlq delete',
  'imports release',
  'imports discard',
]);

function wordsOfCall(call: string): Words | undefined {
  const { queue, method, path, body } = readCall(call);
  if (queue !== undefined) return ['dlq redrive', [queue], []];
  const [, collection, id = '', ...rest] = path.split('/').map(decodeURIComponent);
  const route = [method === 'PUT' ? 'put' : '', collection, ...rest].filter(Boolean).join(' ');
  return commandOfRoute(route, id, body);
}

function commandOfRoute(
  route: string,
  id: string,
  { orderId, invoiceNumber = '', action = '', outcome = '', rest = '', targets = [], decimal, what }: Facts,
): Words | undefined {
  const isByInvoice = orderId === undefined ? ['--invoice-number'] : [];
  const ofOrder = ['--store', id, '--action', action];
  const order = [orderId ?? invoiceNumber];
  const commands: Readonly<Record<string, Words>> = {
    // The path of an onboarding has its name in the place of a store's.
    stores: ['stores connect', [], []],
    'put stores': ['stores rotate', [id], TOKEN],
    restore: ['restore end', [], []],
    'stores resume': ['stores resume', [id], []],
    'stores release': ['stores release', [id], []],
    'stores discard': ['stores discard', [id], what === 'everything' ? ['--everything'] : []],
    'stores drift repair': ['drift repair', targets, ['--store', id]],
    'stores orders resolve': ['orders resolve', order, [...isByInvoice, ...ofOrder, '--outcome', outcome]],
    'stores orders retry': ['orders retry', order, [...isByInvoice, ...ofOrder]],
    'imports release': ['imports release', [id], decimal === undefined ? [] : ['--decimal', decimal]],
    'imports discard': ['imports discard', [id], []],
    'batches read-back': ['batches read-back', [id], []],
    'batches resolve': ['batches resolve', [id], ['--rest', rest]],
    'summaries discard': ['webhooks discard', [id], []],
    'dead-letters delete': ['dlq delete', [id], ['--message', '…', '--reason', '…']],
  };
  return commands[route];
}
