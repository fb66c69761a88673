import { startSandbox } from './index.ts';
import { banner } from './page/banner.ts';

const DEFAULT_PORT = 4568;

const sandbox = await startSandbox({ port: Number(process.env.SANDBOX_PORT ?? DEFAULT_PORT) });
console.log(banner(sandbox.url));

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void sandbox.close());
