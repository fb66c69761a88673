import { parseArgs } from 'node:util';
import { watchNpmShell } from '../loopback/npm-shell.ts';
import { startSandbox } from './index.ts';
import { banner } from './page/banner.ts';

const USAGE = `Runs the sandbox marketplace alone, until Ctrl-C: docs/sandbox.md.

Options
  --port N             its port; 0: any free one (default: SANDBOX_PORT, otherwise 4568)
  --help               show this`;

const LARGEST_PORT = 65_535;
/** The exit status for wrong arguments, as in the connector's command line. */
const WRONG_ARGUMENTS = 2;

const { values, problem } = readArguments();
if (values?.help) {
  console.log(USAGE);
} else if (values === undefined) {
  console.error(problem);
  process.exitCode = WRONG_ARGUMENTS;
} else {
  await run(values.port);
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const given = values.port ?? process.env.SANDBOX_PORT ?? '4568';
    const isPort = /^\d{1,5}$/.test(given) && Number(given) <= LARGEST_PORT;
    if (isPort || values.help) return { values: { help: values.help, port: Number(given) } };
    const name = values.port === undefined ? 'SANDBOX_PORT' : '--port';
    return { problem: `${name} must be a port, 0 (any free one) to ${LARGEST_PORT}, not "${given}"` };
  } catch (error) {
    // Keeps only the first sentence: Node adds advice about positional arguments.
    return { problem: `${(error as Error).message.split('. ')[0]}; options: --port, --help` };
  }
}

async function run(port: number): Promise<void> {
  try {
    const sandbox = await startSandbox({ port });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void sandbox.close());
    watchNpmShell(() => process.emit('SIGTERM'));
    console.log(banner(sandbox.url));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'is in use by another program' : `can't be used (${message})`;
    console.error(`port ${port} ${reason}: choose a free port with --port or SANDBOX_PORT (0: any)`);
    process.exitCode = 1;
  }
}
