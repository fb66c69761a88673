import { readdir, readFile } from 'node:fs/promises';

/**
 * The most memory that a process of a function of this test's local run has used, in MB, of the processes that are still
 * there. On Linux only; elsewhere `undefined`.
 *
 * @param functionName a part of its name
 */
export async function peakMemoryMb(functionName: string): Promise<number | undefined> {
  const peaks = await Promise.all((await readdir('/proc').catch(() => [])).map(peakOf));
  const own = peaks.flatMap((one) => (one?.name.includes(functionName) ? [one.mb] : []));
  return own.length === 0 ? undefined : Math.max(...own);
}

/** Of a process that this one has started for a function. */
async function peakOf(pid: string): Promise<{ name: string; mb: number } | undefined> {
  const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
  const [status, environment] = await Promise.all([read('status'), read('environ')]);
  const numberOf = (field: string) => new RegExp(`^${field}:\\s*(\\d+)`, 'm').exec(status)?.[1];
  const name = /(?:^|\0)AWS_LAMBDA_FUNCTION_NAME=([^\0]*)/.exec(environment)?.[1];
  if (name === undefined || Number(numberOf('PPid')) !== process.pid) return undefined;
  return { name, mb: Math.round(Number(numberOf('VmHWM')) / 1024) };
}
