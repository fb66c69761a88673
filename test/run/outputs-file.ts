import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What tells a process to end. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Where the process is told of its signals. */
type Signals = Pick<NodeJS.EventEmitter, 'once' | 'off'>;

/**
 * Does `work` while `file` has the stack's outputs, in the shape of `cdk deploy --outputs-file`. The file is gone before
 * this ends, however it does.
 *
 * @returns what `work` returns; `undefined` as soon as the process is told to end, which leaves the work where it is.
 */
export async function whileOutputsShow<Result>(
  file: string,
  outputs: Readonly<Record<string, string>>,
  work: () => Promise<Result>,
  signals: Signals = process,
): Promise<Result | undefined> {
  const interrupted = Promise.withResolvers<undefined>();
  const interrupt = () => interrupted.resolve(undefined);
  for (const signal of SIGNALS) signals.once(signal, interrupt);
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify({ MarketplaceConnector: outputs }, null, 2)}\n`);
    return await Promise.race([work(), interrupted.promise]);
  } finally {
    await removeOutputs(file);
    for (const signal of SIGNALS) signals.off(signal, interrupt);
  }
}

/** Also what a run left behind that was killed. */
export async function removeOutputs(file: string): Promise<void> {
  await rm(file, { force: true });
}
