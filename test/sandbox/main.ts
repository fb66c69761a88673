import { watchNpmShell } from '../run/npm-shell.ts';
import { startSandbox } from './index.ts';
import { banner } from './page/banner.ts';

const DEFAULT_PORT = 4568;

const port = process.env.SANDBOX_PORT ?? String(DEFAULT_PORT);
try {
  const sandbox = await startSandbox({ port: Number(port) });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void sandbox.close());
  watchNpmShell(() => process.emit('SIGTERM'));
  console.log(banner(sandbox.url));
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  const reason = code === 'EADDRINUSE' ? 'is in use by another program' : `can't be used (${message})`;
  console.error(`port ${port} ${reason}: set SANDBOX_PORT to a free port (0: any)`);
  process.exitCode = 1;
}
