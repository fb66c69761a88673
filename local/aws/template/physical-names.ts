import type { ResourceType } from './resource-types.ts';

const defaultLimit = 128;

/**
 * The name of a resource whose name the template leaves to CloudFormation: stack and logical ID, shortened in the middle, so that the
 * hash at the end of CDK's logical IDs keeps the name unique. The name is the same in every run, so that state on disk is found again.
 */
export function physicalName(options: { stackName: string; logicalId: string; type: ResourceType }): string {
  const { nameLimit: limit = defaultLimit, hasLowerCaseName } = options.type;
  const whole = `${options.stackName}-${options.logicalId}`;
  const kept = whole.length <= limit ? whole : `${whole.slice(0, limit - 10)}${whole.slice(-10)}`;
  return hasLowerCaseName ? kept.toLowerCase() : kept;
}
