import type { Command } from 'commander';
import { type ApiClient, createApiClient } from './clients/api-client.ts';
import { type AwsClients, createAwsClients } from './clients/aws-clients.ts';
import { CliError } from './errors.ts';
import { EXIT } from './exit-codes.ts';
import { resolveTarget, type TargetOptions } from './target/resolve-target.ts';
import type { Target } from './target/target.ts';
import { processTerminal, type Terminal } from './terminal.ts';

/** The options that every command has. */
export interface GlobalOptions extends TargetOptions {
  readonly json?: boolean;
  readonly yes?: boolean;
}

/** What every command works with. */
export interface Context {
  readonly terminal: Terminal;
  readonly target: Target;
  readonly api: ApiClient;
  readonly aws: AwsClients;
  readonly isJson: boolean;
  /** Prints `value` as JSON with `--json`, otherwise the text. */
  show(value: unknown, text: () => string): void;
  /** Of a list whose JSON is an array: says on standard error where it goes on, if there are more. */
  showCursor(cursor: string | undefined): void;
  /**
   * Asks whether to change something, unless `--yes` is given.
   *
   * @throws CliError if the answer is no, or if there is no person to ask
   */
  confirm(question: string): Promise<void>;
}

type Work<Options, Arguments extends unknown[]> = (
  context: Context,
  options: Options,
  ...args: Arguments
) => Promise<void>;

/** The action of a command: resolves the stack, does the work, and closes the clients. */
export function withContext<Options = object, Arguments extends unknown[] = string[]>(
  work: Work<Options, Arguments>,
) {
  return async (...received: unknown[]): Promise<void> => {
    const command = received.at(-1) as Command;
    const options = command.optsWithGlobals<GlobalOptions & Options>();
    const target = await resolveTarget(options);
    using aws = createAwsClients(target);
    const output = outputWith(options);
    const context = { ...output, target, api: createApiClient(target), aws };
    await work(context, options, ...(command.processedArgs as Arguments));
  };
}

/** The parts of a context that need no stack. */
export function outputWith({ json = false, yes = false }: GlobalOptions, terminal = processTerminal()) {
  return {
    terminal,
    isJson: json,
    show: (value: unknown, text: () => string) =>
      terminal.print(json ? JSON.stringify(value, null, 2) : text()),
    showCursor: (cursor: string | undefined) => {
      if (json && cursor !== undefined) terminal.note(JSON.stringify({ cursor }));
    },
    confirm: async (question: string) => {
      if (yes) return;
      const isAsked = terminal.isInteractive && !json;
      if (isAsked && (await terminal.confirm(question))) return;
      throw new CliError(isAsked ? 'nothing was changed' : `not confirmed: ${question}`, {
        code: 'NOT_CONFIRMED',
        exitCode: EXIT.notConfirmed,
        ...(!isAsked && { hint: 'Add --yes to do it.' }),
      });
    },
  };
}
