import * as z from 'zod';
import type { StackPolicies } from '../gateway/access-control.ts';
import { type Policy, parsePolicy } from '../iam/policy-document.ts';
import { readProperties } from '../template/read-properties.ts';
import type { Stack, StackResource } from '../template/read-stack.ts';

const inlinePolicies = z.array(z.object({ PolicyName: z.string(), PolicyDocument: z.unknown() })).default([]);
const roleProperties = z.strictObject({
  RoleName: z.string().optional(),
  Description: z.unknown().optional(),
  MaxSessionDuration: z.unknown().optional(),
  Tags: z.unknown().optional(),
  AssumeRolePolicyDocument: z.unknown(),
  Policies: inlinePolicies,
});
const attachedPolicy = z.strictObject({
  PolicyName: z.string().optional(),
  PolicyDocument: z.unknown(),
  Roles: z.array(z.string()).default([]),
});
const queuePolicy = z.strictObject({ PolicyDocument: z.unknown(), Queues: z.array(z.string()) });
const bucketPolicy = z.strictObject({ PolicyDocument: z.unknown(), Bucket: z.string() });
const keyProperties = z.strictObject({
  KeyPolicy: z.unknown(),
  Description: z.unknown().optional(),
  Enabled: z.literal(true).optional(),
  EnableKeyRotation: z.unknown().optional(),
  PendingWindowInDays: z.unknown().optional(),
  RotationPeriodInDays: z.unknown().optional(),
  Tags: z.unknown().optional(),
});

/**
 * The policies of the stack, by role or resource.
 *
 * @throws Error naming the policy's logical ID, for an unsupported policy.
 */
export function stackPolicies(stack: Stack): StackPolicies {
  return { ofRole: rolePolicies(stack), ofResource: resourcePolicies(stack) };
}

function rolePolicies(stack: Stack): Map<string, Policy[]> {
  const attached = stack.ofType('AWS::IAM::Policy').map((resource) => {
    const { PolicyDocument, Roles } = readProperties(resource, attachedPolicy);
    return { policy: parsePolicy(resource.logicalId, PolicyDocument), roles: Roles };
  });
  return new Map(
    stack.ofType('AWS::IAM::Role').map((role) => {
      const { Policies } = readProperties(role, roleProperties);
      const inline = Policies.map((one) =>
        parsePolicy(`${role.logicalId}/${one.PolicyName}`, one.PolicyDocument),
      );
      const others = attached.filter(({ roles }) => roles.includes(role.name)).map(({ policy }) => policy);
      return [role.attributes.Arn ?? '', [...inline, ...others]];
    }),
  );
}

function resourcePolicies(stack: Stack): Map<string, Policy[]> {
  const policies = new Map<string, Policy[]>();
  const add = (resourceArn: string | undefined, source: string, document: unknown): void => {
    if (resourceArn === undefined)
      throw new Error(`${source}: the policy hangs on nothing that the stack has`);
    policies.set(resourceArn, [...(policies.get(resourceArn) ?? []), parsePolicy(source, document)]);
  };
  const arnOf = (type: string, ref: string): string | undefined =>
    stack.ofType(type).find((resource) => resource.ref === ref)?.attributes.Arn;

  for (const resource of stack.ofType('AWS::SQS::QueuePolicy')) {
    const { PolicyDocument, Queues } = readProperties(resource, queuePolicy);
    for (const queue of Queues) add(arnOf('AWS::SQS::Queue', queue), resource.logicalId, PolicyDocument);
  }
  for (const resource of stack.ofType('AWS::S3::BucketPolicy')) {
    const { PolicyDocument, Bucket } = readProperties(resource, bucketPolicy);
    add(arnOf('AWS::S3::Bucket', Bucket), resource.logicalId, PolicyDocument);
  }
  for (const key of stack.ofType('AWS::KMS::Key')) {
    add(key.attributes.Arn, key.logicalId, readProperties(key, keyProperties).KeyPolicy);
  }
  for (const permission of stack.ofType('AWS::Lambda::Permission')) {
    const { functionArn, statement } = invokePermission(stack, permission);
    add(functionArn, permission.logicalId, { Statement: statement });
  }
  return policies;
}

const permissionProperties = z.strictObject({
  Action: z.string(),
  FunctionName: z.string(),
  Principal: z.string(),
  SourceArn: z.string().optional(),
  SourceAccount: z.string().optional(),
});

/** A permission is a statement of the function's resource policy in another form. */
function invokePermission(
  stack: Stack,
  resource: StackResource,
): { functionArn: string | undefined; statement: object } {
  const { Action, FunctionName, Principal, SourceArn, SourceAccount } = readProperties(
    resource,
    permissionProperties,
  );
  const target = stack
    .ofType('AWS::Lambda::Function')
    .find(({ name, attributes }) => FunctionName === name || FunctionName === attributes.Arn);
  const functionArn = target?.attributes.Arn;
  const isService = Principal.endsWith('.amazonaws.com');
  const condition = {
    ...(SourceArn === undefined ? {} : { ArnLike: { 'aws:SourceArn': SourceArn } }),
    ...(SourceAccount === undefined ? {} : { StringEquals: { 'aws:SourceAccount': SourceAccount } }),
  };
  return {
    functionArn,
    statement: {
      Effect: 'Allow',
      Action,
      Principal: isService ? { Service: Principal } : { AWS: Principal },
      Resource: functionArn,
      Condition: condition,
    },
  };
}
