/** The account of the local run, as in the pseudo parameters. */
export const account = {
  id: '000000000000',
  region: 'us-east-1',
  partition: 'aws',
  urlSuffix: 'amazonaws.com',
} as const;

/** An ARN in the local account. */
export function arn(service: string, resource: string): string {
  return `arn:${account.partition}:${service}:${account.region}:${account.id}:${resource}`;
}

/** An IAM ARN in the local account, which has no region. */
export function iamArn(resource: string): string {
  return `arn:${account.partition}:iam::${account.id}:${resource}`;
}

/** The ARN of a rule. For the default bus, the ARN does not name the bus. */
export function ruleArn(bus: string, name: string): string {
  return arn('events', bus === 'default' ? `rule/${name}` : `rule/${bus}/${name}`);
}
