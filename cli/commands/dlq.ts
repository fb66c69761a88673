import type { Command } from 'commander';
import { type Context, withContext } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { addCommand, secondsOption, wholeNumberOption } from '../help.ts';
import { commandOf, wordsOf } from '../invocation.ts';
import { type DeadLetterQueue, deadLetterQueues, findQueue } from '../queues/dead-letter-queues.ts';
import { type DeadLetter, readDeadLetters } from '../queues/dead-letters.ts';
import { redrive } from '../queues/redrive.ts';
import { fields, table } from '../render/table.ts';
import { counted, duration, time } from '../render/words.ts';

/** Adds `dlq` and its commands. */
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
    .argument('[queue]', 'name of the queue, or a part of it (default: the only one that is not empty)')
    .option('--limit <number>', 'most messages (default: 10)', wholeNumberOption, 10)
    .action(withContext(showLetters));
  addCommand(dlq, 'redrive', 'send the messages of a dead-letter queue back to their queue', [
    'dlq redrive Summaries --dry-run',
    'dlq redrive Summaries --yes',
  ])
    .argument('[queue]', 'name of the queue, or a part of it (default: the only one that is not empty)')
    .option('--dry-run', 'only say what would be done')
    .option('--timeout <seconds>', 'how long to wait for the move (default: 60)', secondsOption, 60_000)
    .action(withContext(redriveQueue));
}

async function listQueues({ show, terminal, ...context }: Context, { all = false }: { all?: boolean }) {
  const queues = await deadLetterQueues(context);
  const shown = queues.filter(({ messages }) => all || messages > 0);
  show(shown, () =>
    shown.length === 0
      ? `No dead letters in ${counted(queues.length, 'queue')}.`
      : table(
          terminal,
          ['QUEUE', 'MESSAGES', 'NAME'],
          shown.map(({ messages, topic, name }) => [topic, `about ${messages}`, name]),
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
      ...(letters.length > 0 ? [`\n→ ${commandOf(target, `dlq redrive ${queue.topic}`)}`] : []),
    ].join('\n'),
  );
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

async function redriveQueue(
  context: Context,
  { dryRun = false, timeout }: { dryRun?: boolean; timeout: number },
  given?: string,
): Promise<void> {
  const { show, confirm } = context;
  const queue = await findQueue(context, given);
  const about = `about ${counted(queue.messages, 'message')} of ${queue.name} back to ${queue.sourceName}`;
  if (queue.messages === 0) throw usageError(`${queue.name} is empty`);
  if (dryRun) return show({ ...planOf(queue), moved: 0, dryRun }, () => `Would move ${about}.`);
  await confirm(`Move ${about}?`);
  const { moved, status, reason } = await redrive(context, queue, timeout);
  show(
    { ...planOf(queue), moved, status },
    () => `Moved ${counted(moved, 'message')} to ${queue.sourceName}.`,
  );
  if (status !== 'COMPLETED')
    throw new CliError(`the move ended as ${status}: ${reason ?? 'no reason given'}`, {
      code: 'REDRIVE_FAILED',
      exitCode: EXIT.failed,
    });
}

function planOf({ name, sourceName, messages }: DeadLetterQueue) {
  return { from: name, to: sourceName, messages };
}
