import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { definedOf } from '../../shared/collections/defined-of.ts';
import { usageError } from '../errors.ts';
import type { Target } from './target.ts';

/**
 * A deployed stack, by CloudFormation. Region and credentials come from the AWS environment, files and profiles as in the
 * AWS CLI.
 *
 * @throws CliError if there is no such stack, or no region
 */
export async function stackTarget({
  stack,
  region,
  profile,
}: {
  stack: string;
  region: string | undefined;
  profile: string | undefined;
}): Promise<Target> {
  const client = new CloudFormationClient(definedOf({ region, profile }));
  try {
    const used = await client.config.region().catch(() => {
      throw usageError('no AWS region', 'Give --region REGION, or set AWS_REGION.');
    });
    const { Stacks = [] } = await client
      .send(new DescribeStacksCommand({ StackName: stack }))
      .catch(notThere);
    const outputs = (Stacks[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [
      OutputKey,
      OutputValue,
    ]);
    return {
      name: stack,
      isLocal: false,
      region: used,
      credentials: client.config.credentials,
      options: ['--stack', stack, '--region', used, ...(profile === undefined ? [] : ['--profile', profile])],
      outputs: Object.fromEntries(outputs),
    };
  } finally {
    client.destroy();
  }
}

function notThere(error: Error): never {
  if (error.name === 'ValidationError' && error.message.includes('does not exist'))
    throw usageError(error.message, 'Check --stack, --region and --profile.');
  throw error;
}
