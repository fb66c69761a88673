import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createHttpTransport } from '../../../shared/marketplace/transport.ts';
import { systemClock } from '../../../shared/time/system-clock.ts';
import { printLanes, printLive } from './lanes.ts';

const SANDBOX_PORT = 4_599;
const baseUrl = `http://127.0.0.1:${SANDBOX_PORT}`;

/** `limiter`: in virtual time; `limiter-live`: against a new sandbox, about 4 minutes. */
export async function benchLimiter(isLive: boolean): Promise<void> {
  if (!isLive) return printLanes();
  const main = fileURLToPath(new URL('../../../sandbox/main.ts', import.meta.url));
  const env = { ...process.env, SANDBOX_PORT: String(SANDBOX_PORT) };
  const sandbox = spawn(process.execPath, [main], { env, stdio: 'ignore' });
  const transport = createHttpTransport();
  try {
    await untilHealthy();
    await control('PUT', 'limits', { requestsPerSecond: 5 });
    await printLive({
      clock: systemClock,
      run: (work) => work,
      transport,
      baseUrl,
      partnerClientId: 'sandbox-partner',
      secret: 'sandbox-partner-secret',
      stores: [{ storeClientId: 'store-0wh', storeToken: 'token-store-0wh' }],
    });
    const { requests } = (await control('GET', 'requests')) as {
      requests: { status: number; time: string }[];
    };
    const times = requests.map(({ time }) => Date.parse(time));
    const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000;
    const refused = requests.filter(({ status }) => status === 429).length;
    const used = ((100 * requests.length) / (5 * seconds)).toFixed(1);
    console.log(`${requests.length} requests in ${seconds.toFixed(1)} s (${used} %), ${refused} × 429`);
  } finally {
    await transport.close();
    sandbox.kill();
  }
}

async function untilHealthy(): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await control('GET', 'health').catch(() => undefined)) !== undefined) return;
    await systemClock.sleep(100);
  }
  throw new Error('the sandbox does not start');
}

async function control(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${baseUrl}/sandbox/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.json();
}
