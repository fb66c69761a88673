import { argumentsOrExit, readArguments } from '../run/command-arguments.ts';
import { watchNpmShell } from '../run/npm-shell.ts';
import { readRunSettings } from '../run/run-settings.ts';
import { startSandbox } from './index.ts';
import { banner } from './page/banner.ts';

const usage = `Runs the sandbox marketplace alone, until Ctrl-C: docs/sandbox.md.

Variable
  SANDBOX_PORT (4568)  its port; 0: any free one`;

const { sandboxPort: port = 0 } = argumentsOrExit(usage, (args) => {
  readArguments(args, {});
  return readRunSettings({ SANDBOX_PORT: process.env.SANDBOX_PORT });
});
try {
  const sandbox = await startSandbox({ port });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void sandbox.close());
  watchNpmShell(() => process.emit('SIGTERM'));
  console.log(banner(sandbox.url));
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  const reason = code === 'EADDRINUSE' ? 'is in use by another program' : `can't be used (${message})`;
  console.error(`port ${port} ${reason}: set SANDBOX_PORT to a free port (0: any)`);
  process.exitCode = 1;
}
