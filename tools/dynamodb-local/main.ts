import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { takeNoArguments } from '../../local/run/command-arguments.ts';
import { assertNode24 } from '../../local/run/node-version.ts';
import { startDynamoDbLocal } from './start-dynamodb-local.ts';

takeNoArguments(`Runs the contract tests of the tables and the guided tour on Amazon's DynamoDB Local, which needs Java 17.
Ends with 1 where one of them fails.`);

/** Runs one of the project's programs to its end. Returns its exit status. */
async function run(
  url: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<number> {
  const env = { LOCAL_AWS_PORT: '0', LOCAL_API_PORT: '0', SANDBOX_PORT: '0', ...process.env, ...environment };
  const child = spawn(process.execPath, args, {
    env: { ...env, LOCAL_DYNAMODB_URL: url },
    stdio: 'inherit',
  });
  const [status] = await once(child, 'exit');
  return status ?? 1;
}

assertNode24();
const server = await startDynamoDbLocal();
try {
  const contract = await run(server.url, ['node_modules/vitest/vitest.mjs', 'run', 'test/contract/ports']);
  const tour = await run(server.url, ['local/run/main.ts', '--exit']);
  process.exitCode = Math.max(contract, tour);
} finally {
  await server.stop();
}
