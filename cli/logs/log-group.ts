import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { usageError } from '../errors.ts';
import type { Target } from '../target/target.ts';

/** The log group of a function of a deployed stack, by its name such as `change-intake`. @throws CliError if there is none */
export async function logGroupOf(
  { name, region, credentials, endpoint }: Target,
  functionName: string,
): Promise<string> {
  const client = new CloudFormationClient({
    region,
    credentials,
    ...(endpoint !== undefined && { endpoint }),
  });
  const construct = functionName.replace(/(^|-)(\w)/g, (_, _dash, letter: string) => letter.toUpperCase());
  const logicalId = new RegExp(`${construct}Logs[0-9A-F]{8}$`);
  try {
    for await (const { StackResourceSummaries = [] } of paginateListStackResources(
      { client },
      { StackName: name },
    )) {
      const found = StackResourceSummaries.find(
        ({ ResourceType, LogicalResourceId = '' }) =>
          ResourceType === 'AWS::Logs::LogGroup' && logicalId.test(LogicalResourceId),
      );
      if (found?.PhysicalResourceId !== undefined) return found.PhysicalResourceId;
    }
  } finally {
    client.destroy();
  }
  throw usageError(`the stack ${name} has no log group of ${functionName}`);
}
