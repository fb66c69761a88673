import { setTimeout as pause } from 'node:timers/promises';
import { Argument, type Command } from 'commander';
import { functionNames } from '../../infra/function-names.ts';
import { type Context, withContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { examples, wholeNumberOption } from '../help.ts';
import { logGroupsOf } from '../logs/log-group.ts';
import { logReader } from '../logs/read-logs.ts';
import { logLine } from '../render/log-line.ts';

interface Options {
  readonly tail?: boolean;
  readonly minutes: number;
  readonly filter?: string;
}

const POLL_MS = 2_000;

export function addLogs(program: Command): void {
  program
    .command('logs')
    .description('the log of a function of a deployed stack')
    .addArgument(new Argument('<function>', 'the function').choices(functionNames))
    .option('--tail', 'go on with new lines; Ctrl-C ends it')
    .option('--minutes <number>', 'from so many minutes ago', wholeNumberOption, 10)
    .option('--filter <pattern>', 'only lines that match this pattern of CloudWatch Logs, such as an ID')
    .addHelpText(
      'after',
      examples('logs change-intake --tail --stack Shop', 'logs order-producer --minutes 60 --filter ERROR'),
    )
    .action(withContext<Options>(showLogs));
}

async function showLogs(
  { target, aws, terminal, isJson }: Context,
  { tail = false, minutes, filter }: Options,
  functionName: string,
): Promise<void> {
  if (target.isLocal)
    throw usageError('the local run shows its logs itself', 'Start it with its option --verbose.');
  const [group = ''] = await logGroupsOf({ aws, target }, [functionName]);
  const read = logReader(aws.logs, { group, begin: Date.now() - minutes * 60_000, filter });
  const ended = new AbortController();
  const end = () => ended.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  do {
    for (const line of await read())
      terminal.print(isJson ? JSON.stringify({ group, ...line }) : logLine(line, terminal));
    if (tail) await pause(POLL_MS, undefined, { signal: ended.signal }).catch(() => {});
  } while (tail && !ended.signal.aborted);
}
