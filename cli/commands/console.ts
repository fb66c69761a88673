import { once } from 'node:events';
import { type Command, Option } from 'commander';
import { SANDBOX_URL } from '../clients/sandbox-client.ts';
import { startConsole } from '../console/start-console.ts';
import { type Context, withContext } from '../context.ts';
import { usageError } from '../errors.ts';
import { examples, portOption } from '../help.ts';

interface Options {
  readonly port: number;
  readonly write?: boolean;
  readonly sandbox: string;
}

export function addConsole(program: Command): void {
  program
    .command('console')
    .description('a page in your browser: what needs you, the flow, traces, batches, dead letters, events')
    .option('--write', 'let the page change things (default: it only shows them)')
    .addOption(
      new Option('--port <port>', 'port on 127.0.0.1').argParser(portOption).default(0, 'any free one'),
    )
    .option('--sandbox <url>', 'the sandbox marketplace of the local run', SANDBOX_URL)
    .addHelpText('after', examples('console', 'console --write --stack Shop --region eu-west-1'))
    .action(withContext<Options>(serve));
}

async function serve(context: Context, { port, write = false, sandbox }: Options): Promise<void> {
  const { target, isJson, terminal } = context;
  await using console = await startConsole({
    ...context,
    port,
    canWrite: write,
    sandboxUrl: target.isLocal ? sandbox : undefined,
  }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE'
      ? usageError(`port ${port} is in use by another program`, 'Leave --port out for any free one.')
      : error;
  });
  terminal.print(isJson ? JSON.stringify({ url: console.url }) : console.url);
  const may = write ? 'may change things' : 'is read-only; --write lets it change things';
  terminal.note(`Open the address: it works once. The page ${may}. Ctrl-C ends it.`);
  // SIGHUP: the terminal was closed.
  await Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
}
