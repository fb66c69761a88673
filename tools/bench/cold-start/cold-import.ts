import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { environmentNames } from '../../../shared/settings/environment.ts';

/** What an import took. */
export interface ColdImport {
  readonly passedMs: number;
  readonly cpuMs: number;
}

/** Variables whose values are no names. */
const VALUES: Readonly<Record<string, string>> = {
  WEBHOOK_VERIFICATION: 'both',
  PRODUCT_NAMES: 'sku',
  ORDER_NAMES: 'orderId',
};

function settingOf(variable: string): string {
  if (/_URLS?$/.test(variable)) return 'http://127.0.0.1:1';
  const isNumber = /(_SECONDS|_MINUTES|_HOURS|_DAYS|_SIZE|_FLIGHT|_REQUEST|_PER_SECOND|_PER_RUN)$/.test(
    variable,
  );
  return VALUES[variable] ?? (isNumber ? '5' : 'name');
}

/**
 * Imports bundles in processes of their own, with the environment of a function. Secrets Manager is a server that answers
 * at once.
 */
export async function startColdImports(nodeOptions: string) {
  const secret = JSON.stringify({ SecretString: JSON.stringify({ partnerSecretKey: 'key' }) });
  const server = createServer((request, response) => {
    request
      .resume()
      .on('end', () => response.setHeader('content-type', 'application/x-amz-json-1.1').end(secret));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const env = {
    ...Object.fromEntries(Object.values(environmentNames).map((name) => [name, settingOf(name)])),
    NODE_OPTIONS: nodeOptions,
    POWERTOOLS_SERVICE_NAME: 'bench',
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
  return {
    /** @throws Error when the import fails */
    importOnce: async (folder: string): Promise<ColdImport> => {
      const bundle = pathToFileURL(join(folder, 'index.mjs')).href;
      const child = fork(join(import.meta.dirname, 'import-once.mjs'), [bundle], { env, execArgv: [] });
      const [answer] = await Promise.race([
        once(child, 'message'),
        once(child, 'exit').then(() => {
          throw new Error(`${bundle} could not be imported`);
        }),
      ]);
      return answer;
    },
    stop: () => server.close(),
  };
}
