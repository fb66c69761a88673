import { watchStdout } from '../../cli/stdout-errors.ts';
import { watchNpmShell } from '../../loopback/npm-shell.ts';
import { argumentsUnlessHelp } from './command-arguments.ts';
import { isPacked } from './find-template.ts';
import { type Interrupt, listenForInterrupt } from './interrupt.ts';
import { assertStateCanBeKept } from './kept-state.ts';
import { assertNode24 } from './node-version.ts';
import { prepareOutputs } from './outputs-file.ts';
import { assertPortsFree } from './ports.ts';
import { HELP, readRunOptions } from './run-options.ts';
import { readRunSettings, wantedPorts } from './run-settings.ts';
import { createTerminal } from './terminal/terminal.ts';

/** @returns the exit status of the process */
async function main(): Promise<number> {
  assertNode24();
  const options = readRunOptions(argumentsUnlessHelp(HELP), process.env);
  if (options.dataDirectory !== undefined) assertStateCanBeKept();
  const settings = readRunSettings(process.env);
  await assertPortsFree(wantedPorts(settings));
  await prepareOutputs(options.outputsFile);

  using interrupt: Interrupt = listenForInterrupt({
    onFirst: () =>
      terminal.say('\nStopping the functions and the local servers (Ctrl-C again: end at once) …'),
  });
  watchNpmShell(() => process.emit('SIGTERM'));
  watchStdout({
    onReaderGone: () => process.emit('SIGINT'),
    onError: (error) => {
      throw error;
    },
  });
  using terminal = createTerminal(process.stdout, interrupt.signal);
  try {
    if (options.cdkOut === undefined && !isPacked) terminal.progress('Synthesizing the stack');
    // Show the progress first, as loading takes a second.
    const { runStack } = await import('./run-stack.ts');
    const passed = await runStack(settings, options, { terminal, signal: interrupt.signal });
    if (!interrupt.signal.aborted) return passed ? 0 : 1;
  } catch (error) {
    // After an interrupt, calls to stopped servers fail as expected.
    if (!interrupt.signal.aborted) throw error;
  }
  terminal.say('Stopped.');
  // With --exit an interrupted tour counts as failed. process.exit also ends its pending calls.
  process.exit(options.exit ? 1 : 0);
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(process.argv.includes('--verbose') || !(error instanceof Error) ? error : error.message);
  process.exitCode = 1;
}
