#!/usr/bin/env node
import { CommanderError } from 'commander';
import { oneLine, visible } from '../shared/collections/visible.ts';
import { answerFactsOf, explain, usageError } from './errors.ts';
import { EXIT } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { watchStdout } from './stdout-errors.ts';

// The SDK is bundled: that its later versions need another Node.js says nothing to a person here.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
// The AWS CLI and the CDK read both names, the SDK only the first.
if (process.env.AWS_DEFAULT_REGION) process.env.AWS_REGION ??= process.env.AWS_DEFAULT_REGION;

const isJson = process.argv.includes('--json');

// Messages without a reader change neither the work nor its exit code.
process.stderr.on('error', () => {});
watchStdout({
  // As Ctrl-C does: `listen` has a queue to remove.
  onReaderGone: () => {
    if (!process.emit('SIGINT')) process.exit(EXIT.done);
  },
  onError: (error) => {
    fail(error);
    process.exit(EXIT.failed);
  },
});

try {
  await createProgram({ isJson }).parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) fail(error);
  else if (error.exitCode === 0) process.exitCode = EXIT.done;
  else if (isJson) fail(wrongArguments(error));
  // Commander has printed its own error.
  else process.exitCode = EXIT.usage;
}

function wrongArguments({ code, message }: CommanderError) {
  return usageError(
    code === 'commander.help' ? 'no command was given' : message.replace(/^error: /, ''),
    '--help shows what is possible.',
  );
}

function fail(error: unknown): void {
  const explained = explain(error);
  const { message, code, hint, exitCode } = explained;
  const text = isJson
    ? JSON.stringify({ error: { code, message, hint, ...answerFactsOf(explained) } })
    : [`${code}: ${message}`, ...(hint === undefined ? [] : [hint])].map(oneLine).join('\n');
  process.stderr.write(`${visible(text)}\n`);
  process.exitCode = exitCode;
}
