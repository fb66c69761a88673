import type { Command } from 'commander';
import * as z from 'zod';
import { type Context, withContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { addCommand, timeoutOption, wholeNumberOption } from '../help.ts';
import { commandOf, wordsOf } from '../invocation.ts';
import { type DeadLetterQueue, deadLetterQueues, findQueue } from '../queues/dead-letter-queues.ts';
import { type DeadLetter, readDeadLetters } from '../queues/dead-letters.ts';
import { redrive } from '../queues/redrive.ts';
import { fields, table } from '../render/table.ts';
import { counted, duration, time } from '../render/words.ts';

const QUEUE = [
  '[queue]',
  'name of the queue, or a part of it (default: the only one that is not empty)',
] as const;

export function addDlq(program: Command): void {
  const dlq = program.command('dlq').description('dead letters: messages that could not be processed');
  addCommand(dlq, 'list', 'the dead-letter queues that are not empty', ['dlq list'])
    .option('--all', 'also the empty ones')
    .action(withContext(listQueues));
  addCommand(dlq, 'show', 'the messages of a dead-letter queue; they stay in it', [
    'dlq show',
    'dlq show Summaries',
    'dlq show Changes --limit 50 --json',
  ])
    .argument(...QUEUE)
    .option('--limit <number>', 'most messages', wholeNumberOption, 10)
    .action(withContext(showLetters));
  addCommand(dlq, 'delete', 'delete messages that can never be processed; the reason is kept', [
    'dlq delete Changes --message MESSAGE --reason "sent by a test" --yes',
  ])
    .argument(...QUEUE)
    .requiredOption('--message <messageId...>', 'the messages, by their IDs')
    .requiredOption('--reason <text>', 'why; what the messages were about is rejected with it')
    .action(withContext<DeleteOptions>(deleteLetters));
  addCommand(dlq, 'redrive', 'send the messages of a dead-letter queue back to their queue', [
    'dlq redrive Summaries --dry-run',
    'dlq redrive Summaries --yes',
  ])
    .argument(...QUEUE)
    .option('--dry-run', 'only say what would be done')
    .addOption(timeoutOption('how long to wait for the move', 60))
    .action(withContext(redriveQueue));
}

async function listQueues({ show, terminal, ...context }: Context, { all = false }: { all?: boolean }) {
  const queues = await deadLetterQueues(context);
  const shown = queues.filter(({ messages, hidden }) => all || messages + hidden > 0);
  show(shown, () =>
    shown.length === 0
      ? `No dead letters in ${counted(queues.length, 'queue')}.`
      : table(
          terminal,
          ['QUEUE', 'MESSAGES', 'NAME'],
          shown.map(({ messages, hidden, topic, name }) => [topic, `about ${messages + hidden}`, name]),
        ),
  );
}

async function showLetters(context: Context, { limit }: { limit: number }, given?: string): Promise<void> {
  const { show, terminal, target } = context;
  const queue = await findQueue(context, given);
  const letters = await readDeadLetters(context, queue, limit);
  show({ queue: queue.name, messages: queue.messages, letters }, () =>
    [
      `${terminal.style('bold', queue.name)}: about ${counted(queue.messages, 'message')}`,
      ...letters.map((letter) => `\n${describe(letter, target)}`),
      ...choicesOf(letters, queue, target),
    ].join('\n'),
  );
}

/** What can be done with them, once the cause is known. */
function choicesOf(
  [first]: readonly DeadLetter[],
  { topic }: DeadLetterQueue,
  target: Context['target'],
): string[] {
  if (first === undefined) return [];
  const one = wordsOf('dlq delete', [topic], ['--message', first.messageId, '--reason', '…']);
  return [
    '\nThe cause is corrected: send them again:',
    `→ ${commandOf(target, `dlq redrive ${topic}`)}`,
    'One can never be processed: delete it:',
    `→ ${commandOf(target, one)}`,
  ];
}

function describe(letter: DeadLetter, target: Context['target']): string {
  const { messageId, sentAt, received, detailType, storeClientId, eventId, body } = letter;
  const age = sentAt === undefined ? '' : ` (${duration(Date.now() - Date.parse(sentAt))} ago)`;
  return fields([
    ['message', messageId],
    ['sent', sentAt && `${time(sentAt)}${age}`],
    ['received', received === undefined ? undefined : counted(received, 'time')],
    ['event', detailType],
    ['store', storeClientId],
    ['trace', eventId && commandOf(target, wordsOf('trace', [eventId]))],
    ['body', typeof body === 'string' ? body : JSON.stringify(body)],
  ]);
}

interface DeleteOptions {
  readonly message: readonly string[];
  readonly reason: string;
}

const deletedSchema = z.object({ deleted: z.array(z.string()), notFound: z.array(z.string()) });

async function deleteLetters(
  context: Context,
  { message: messageIds, reason }: DeleteOptions,
  given?: string,
): Promise<void> {
  const { api, show, confirm } = context;
  const queue = await findQueue(context, given);
  await confirm(`Delete ${counted(messageIds.length, 'message')} of ${queue.name}? They cannot be restored.`);
  const body = { messageIds, reason };
  const answer = await api.call(deletedSchema, 'POST', ['dead-letters', queue.name, 'delete'], { body });
  const { deleted, notFound } = answer;
  if (deleted.length > 0 || notFound.length === 0)
    show({ queue: queue.name, ...answer }, () => `Deleted ${counted(deleted.length, 'message')}: ${reason}`);
  if (notFound.length > 0)
    throw new CliError(`${queue.name} does not show ${notFound.join(', ')}`, {
      code: 'MESSAGE_NOT_FOUND',
      exitCode: EXIT.failed,
      hint: 'Another reader may hide them for seconds: try it again. `dlq show` lists those that are there.',
    });
}

async function redriveQueue(
  context: Context,
  { dryRun = false, timeout }: { dryRun?: boolean; timeout: number },
  given?: string,
): Promise<void> {
  const { show, confirm } = context;
  const queue = await findQueue(context, given);
  const about = `about ${counted(queue.messages, 'message')} of ${queue.name} back to ${queue.sourceName}`;
  if (queue.messages === 0) throw nothingToMove(queue);
  if (dryRun) return show({ ...planOf(queue), moved: 0, dryRun }, () => `Would move ${about}.`);
  await confirm(`Move ${about}?`);
  const { moved, status, reason } = await redrive(context, queue, timeout);
  show({ ...planOf(queue), moved, status }, () =>
    [`Moved ${counted(moved, 'message')} to ${queue.sourceName}.`, ...hiddenText(queue)].join(' '),
  );
  if (status !== 'COMPLETED')
    throw new CliError(`the move ended as ${status}: ${reason ?? 'no reason given'}`, {
      code: 'REDRIVE_FAILED',
      exitCode: EXIT.failed,
    });
}

function planOf({ name, sourceName, messages, hidden }: DeadLetterQueue) {
  return { from: name, to: sourceName, messages, hidden };
}

/** Why a queue that shows no message can't be redriven: it is empty, or a reader hides what is in it. */
export function nothingToMove(queue: Pick<DeadLetterQueue, 'name' | 'hidden'>): CliError {
  if (queue.hidden === 0) return usageError(`${queue.name} is empty`);
  return new CliError([`${queue.name} shows no message now.`, ...hiddenText(queue)].join(' '), {
    code: 'MESSAGES_HIDDEN',
    exitCode: EXIT.failed,
  });
}

/** What is left in a queue for another try. */
export function hiddenText({ hidden }: Pick<DeadLetterQueue, 'hidden'>): string[] {
  if (hidden === 0) return [];
  const are = hidden === 1 ? 'is' : 'are';
  return [`About ${counted(hidden, 'message')} ${are} hidden for seconds by another reader: try again then.`];
}
