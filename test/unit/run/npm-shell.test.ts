import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

test('npm run sandbox ends when a signal reaches npm alone, as from a program that started it', async () => {
  const npm = spawn('npm', ['run', '--silent', 'sandbox'], {
    env: { ...process.env, SANDBOX_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own: all of it is stopped if the test fails.
    detached: true,
  });
  const group = -(npm.pid ?? Number.NaN);
  try {
    const signal = AbortSignal.timeout(20_000);
    await once(npm.stdout, 'data', { signal });
    npm.kill('SIGTERM');
    npm.stdout.resume();
    // The stream ends when no process has it any more.
    await expect(once(npm.stdout, 'close', { signal })).resolves.toBeDefined();
  } finally {
    try {
      process.kill(group, 'SIGKILL');
    } catch {
      // All have ended.
    }
  }
});
