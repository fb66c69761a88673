import { paginateListStackResources } from '@aws-sdk/client-cloudformation';
import type { Context } from '../context.ts';
import { usageError } from '../errors.ts';

/**
 * The log groups of functions of a deployed stack, in the order of the functions' names, such as `change-intake`.
 *
 * @throws CliError if a function has none
 */
export async function logGroupsOf(
  { aws, target }: Pick<Context, 'aws' | 'target'>,
  functionNames: readonly string[],
): Promise<string[]> {
  const groups = new Map<string, string>();
  const pages = paginateListStackResources({ client: aws.stacks }, { StackName: target.name });
  for await (const { StackResourceSummaries = [] } of pages) {
    for (const { ResourceType, LogicalResourceId = '', PhysicalResourceId = '' } of StackResourceSummaries)
      if (ResourceType === 'AWS::Logs::LogGroup') groups.set(LogicalResourceId, PhysicalResourceId);
  }
  return functionNames.map((name) => {
    const construct = name.replace(/(^|-)(\w)/g, (_, _dash, letter: string) => letter.toUpperCase());
    const logicalId = new RegExp(`${construct}Logs[0-9A-F]{8}$`);
    const [, group] = [...groups].find(([id]) => logicalId.test(id)) ?? [];
    if (group === undefined) throw usageError(`the stack ${target.name} has no log group of ${name}`);
    return group;
  });
}
