import type { Attention } from '../../shared/attention/model.ts';
import { wordsOf } from '../invocation.ts';

/** The path and body of a call as `GET /attention` writes it. */
const CALL = /^POST \/(?<path>\S+)(?: (?<body>\{.*\}))?$/;
/** The dead-letter queue in the AWS command. */
const SOURCE_ARN = /--source-arn (?<arn>\S+)/;

/** The fields of the bodies. */
interface Facts {
  readonly orderId?: string;
  readonly invoiceNumber?: string;
  readonly action?: string;
  readonly outcome?: string;
  readonly rest?: string;
  readonly targets?: readonly string[];
  readonly decimal?: string;
}

/**
 * The command of this command line that ends what waits for a person: its words after the program's name.
 *
 * @returns `undefined` for a call that no command makes
 */
export function wayOut({ kind, call }: Pick<Attention, 'kind' | 'call'>): string | undefined {
  if (kind === 'dead-letters') {
    const queue = SOURCE_ARN.exec(call)?.groups?.arn?.split(':').at(-1);
    return queue && wordsOf('dlq show', [queue]);
  }
  const { path = '', body = '{}' } = CALL.exec(call)?.groups ?? {};
  const [collection, id = '', ...rest] = path.split('/').map(decodeURIComponent);
  const command = commandOf([collection, ...rest].join(' '), id, JSON.parse(body));
  return command && wordsOf(...command);
}

/** The command, its arguments and its options. */
function commandOf(
  route: string,
  id: string,
  { orderId, invoiceNumber = '', action = '', outcome = '', rest = '', targets = [], decimal }: Facts,
): Parameters<typeof wordsOf> | undefined {
  const isByInvoice = orderId === undefined ? ['--invoice-number'] : [];
  const resolved = ['--store', id, '--action', action, '--outcome', outcome];
  const commands: Readonly<Record<string, Parameters<typeof wordsOf>>> = {
    'stores resume': ['stores resume', [id]],
    'stores release': ['stores release', [id]],
    'stores drift repair': ['drift repair', targets, ['--store', id]],
    'stores orders resolve': ['orders resolve', [orderId ?? invoiceNumber], [...isByInvoice, ...resolved]],
    'imports release': ['imports release', [id], decimal === undefined ? [] : ['--decimal', decimal]],
    'batches read-back': ['batches read-back', [id]],
    'batches resolve': ['batches resolve', [id], ['--rest', rest]],
    'summaries discard': ['webhooks discard', [id]],
  };
  return commands[route];
}
