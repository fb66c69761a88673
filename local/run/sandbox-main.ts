import { startSandbox } from '../../sandbox/index.ts';
import { banner } from '../../sandbox/page/banner.ts';
import { takeNoArguments } from './command-arguments.ts';
import { watchNpmShell } from './npm-shell.ts';
import { readRunSettings } from './run-settings.ts';

const usage = `Runs the sandbox marketplace alone, until Ctrl-C: docs/sandbox.md.

Variable
  SANDBOX_PORT (4568)  its port; 0: any free one`;

takeNoArguments(usage);
try {
  const { sandboxPort: port = 0 } = readRunSettings({ SANDBOX_PORT: process.env.SANDBOX_PORT });
  const sandbox = await startSandbox({ port }).catch(({ code, message }: NodeJS.ErrnoException) => {
    const reason = code === 'EADDRINUSE' ? 'is in use by another program' : `can't be used (${message})`;
    throw new Error(`port ${port} ${reason}: set SANDBOX_PORT to a free port (0: any)`);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void sandbox.close());
  watchNpmShell(() => process.emit('SIGTERM'));
  console.log(banner(sandbox.url));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
