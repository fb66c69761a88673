import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFunctionHost, type FunctionHost } from '../../../../local/aws/lambda/function-host.ts';
import type { FunctionDefinition } from '../../../../local/aws/model.ts';

/** A host of a function whose `index.mjs` is the given source; both are gone after disposal. */
export async function hostFunction(
  source: string,
  options: { definition?: Partial<FunctionDefinition>; maximumProcesses?: number } = {},
): Promise<FunctionHost & AsyncDisposable> {
  const assetDirectory = await mkdtemp(join(tmpdir(), 'function-'));
  await writeFile(join(assetDirectory, 'index.mjs'), source);
  const host = createFunctionHost({
    definition: {
      name: 'under-test',
      arn: 'arn:aws:lambda:us-east-1:000000000000:function:under-test',
      handler: 'index.handler',
      assetDirectory,
      environment: { GREETING: 'hello' },
      timeoutSeconds: 20,
      memoryMb: 256,
      ...options.definition,
    },
    credentials: () => ({
      accessKeyId: 'ASIA1',
      secretAccessKey: 'role-secret',
      sessionToken: 'role-session',
    }),
    endpoint: 'http://127.0.0.1:1',
    region: 'us-east-1',
    log: () => {},
    ...(options.maximumProcesses === undefined ? {} : { maximumProcesses: options.maximumProcesses }),
  });
  return {
    ...host,
    async [Symbol.asyncDispose]() {
      await host.stop();
      await rm(assetDirectory, { recursive: true, force: true });
    },
  };
}
