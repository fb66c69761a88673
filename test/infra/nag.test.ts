import { type Stack, Validations } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { createConnectorStack } from './support/stacks.ts';

/** Every finding of cdk-nag's AwsSolutions in `stack` that is not acknowledged, as `rule at construct path`. */
function findingsOf(stack: Stack): string[] {
  const report = new AwsSolutionsChecks(stack).validateScope(stack);
  return report.violations.flatMap((violation) =>
    violation.violatingResources.map((resource) => `${violation.ruleName} at ${resource.constructPath}`),
  );
}

/** What the stack acknowledges, each rule with its reason. */
function acknowledgementsIn(stack: Stack): [rule: string, reason: string][] {
  return stack.node
    .findAll()
    .flatMap((construct) => construct.node.metadata)
    .filter((entry) => entry.type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
    .flatMap((entry) => Object.entries<string>(entry.data));
}

describe('cdk-nag AwsSolutions', () => {
  it('reports no finding that is not acknowledged', () => {
    expect(findingsOf(createConnectorStack())).toEqual([]);
  });

  it('reports none for what settings add: CloudFront before the webhook, a topic of alarms', () => {
    const webhookWebAclArn = 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/webhook/1a2b3c4d';
    const stack = createConnectorStack({ webhookWebAclArn, alarmEmail: 'operators@partner.example' });
    expect(findingsOf(stack)).toEqual([]);
    for (const [, reason] of acknowledgementsIn(stack)) expect(reason).toMatch(/^[A-Z].{20,}\.$/);
  });

  it('reports a new finding', () => {
    const stack = createConnectorStack();
    new Bucket(stack, 'Careless');

    expect(findingsOf(stack)).toContain('AwsSolutions-S10 at MarketplaceConnector/Careless/Resource');
  });

  it('has exactly these acknowledgements, each with a reason', () => {
    const acknowledgements = acknowledgementsIn(createConnectorStack());
    const rules = new Set(
      acknowledgements.map(([rule]) => rule.replace(/^Annotation::|[0-9A-F]{8}(?=\.Arn)/g, '')),
    );

    expect([...rules].sort()).toEqual([
      'AwsSolutions-APIG4',
      'AwsSolutions-IAM5[Resource::*]',
      'AwsSolutions-IAM5[Resource::<BucketsArchiveBucket.Arn>/messages/*]',
      'AwsSolutions-IAM5[Resource::<BucketsArchiveBucket.Arn>/requests/*]',
      'AwsSolutions-IAM5[Resource::<BucketsArchiveBucket.Arn>/webhooks/*]',
      'AwsSolutions-IAM5[Resource::<BucketsDocumentsBucket.Arn>/*]',
      'AwsSolutions-IAM5[Resource::<BucketsImportsBucket.Arn>/*]',
      'AwsSolutions-IAM5[Resource::<BucketsImportsBucket.Arn>/reports/*]',
      'AwsSolutions-SMG4',
    ]);
    for (const [, reason] of acknowledgements) expect(reason).toMatch(/^[A-Z].{20,}\.$/);
  });
});
