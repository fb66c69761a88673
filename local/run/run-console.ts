import { createApiClient } from '../../cli/clients/api-client.ts';
import { createAwsClients } from '../../cli/clients/aws-clients.ts';
import { type RunningConsole, startConsole } from '../../cli/console/start-console.ts';
import { LOCAL_OUTPUTS, localOptions } from '../../cli/target/local-target.ts';
import type { Target } from '../../cli/target/target.ts';
import type { ConnectorRun } from './connector-run.ts';

/** The stack of a run, as `connector --local` finds it. */
export function targetOf({ local }: ConnectorRun, outputsFile = LOCAL_OUTPUTS): Target {
  const { region, adminCredentials: credentials, endpoint, outputs } = local;
  const options = localOptions(outputsFile);
  return { name: 'local', isLocal: true, region, credentials, endpoint, options, outputs };
}

/**
 * Serves the console of a run. The console may change things unless `canWrite` is false: the data of a local run is for trials.
 *
 * @param options.outputsFile file of the outputs in the commands that the console shows; default: the file in the working folder
 * @param options.program the beginning of the commands that the console shows
 */
export async function startRunConsole(
  run: ConnectorRun,
  {
    canWrite = true,
    outputsFile,
    program = 'npm run -s connector --',
  }: { canWrite?: boolean; outputsFile?: string; program?: string } = {},
): Promise<RunningConsole> {
  await using cleanup = new AsyncDisposableStack();
  const target = targetOf(run, outputsFile);
  const aws = cleanup.use(createAwsClients(target));
  const console = cleanup.use(
    await startConsole({
      target,
      aws,
      api: createApiClient(target),
      canWrite,
      program,
      ...(run.controls !== undefined && { sandboxUrl: run.marketplace.baseUrl }),
    }),
  );
  const owned = cleanup.move();
  return { ...console, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
