import { existsSync } from 'node:fs';
import * as z from 'zod';
import { evaluate } from '../iam/evaluate.ts';
import { parsePolicy } from '../iam/policy-document.ts';
import type { FunctionDefinition } from '../model.ts';
import { readProperties } from '../template/read-properties.ts';
import type { Stack, StackResource } from '../template/read-stack.ts';
import { roleId } from '../template/resource-types.ts';
import { assetFolders } from './asset-folders.ts';

const functionProperties = z.strictObject({
  FunctionName: z.string().optional(),
  Code: z.strictObject({ S3Bucket: z.string(), S3Key: z.string() }),
  Handler: z.string(),
  Role: z.string(),
  Runtime: z.string().regex(/^nodejs\d+\.x$/),
  Timeout: z.number().default(3),
  MemorySize: z.number().default(128),
  ReservedConcurrentExecutions: z.number().optional(),
  Environment: z
    .strictObject({ Variables: z.record(z.string(), z.string()).default({}) })
    .default({ Variables: {} }),
  Architectures: z.unknown().optional(),
  Description: z.unknown().optional(),
  LoggingConfig: z.unknown().optional(),
  RecursiveLoop: z.unknown().optional(),
  TracingConfig: z.unknown().optional(),
  VpcConfig: z.unknown().optional(),
  Tags: z.unknown().optional(),
});

/** Lambda takes at most this many bytes of JSON as the variables of a function. */
const MOST_VARIABLE_BYTES = 4_096;

/** The role that a function runs as. */
interface FunctionRole {
  readonly arn: string;
  readonly id: string;
  readonly name: string;
}

/** A function of the stack with its role. */
export interface StackFunction {
  readonly logicalId: string;
  readonly definition: FunctionDefinition;
  readonly role: FunctionRole;
}

/**
 * The functions of the stack, each with its synthesized bundle.
 *
 * @param assetDirectory the folder of the cloud assembly (`cdk.out`)
 * @throws Error, naming the logical ID, for a property that the local run does not know, a bundle that is not there, more
 * variables than Lambda takes, or a role that Lambda may not assume.
 */
export function stackFunctions(stack: Stack, assetDirectory: string): StackFunction[] {
  const folderOf = assetFolders(assetDirectory);
  return stack.ofType('AWS::Lambda::Function').map((resource) => {
    const properties = readProperties(resource, functionProperties);
    const bundle = folderOf(properties.Code.S3Key.replace(/\.zip$/, ''));
    if (!existsSync(bundle)) throw new Error(`${resource.logicalId}: the bundle ${bundle} is not there`);
    const bytes = Buffer.byteLength(JSON.stringify(properties.Environment.Variables));
    if (bytes > MOST_VARIABLE_BYTES)
      throw new Error(
        `${resource.logicalId}: its variables have ${bytes} bytes; Lambda takes ${MOST_VARIABLE_BYTES}`,
      );
    const definition: FunctionDefinition = {
      name: resource.name,
      arn: resource.attributes.Arn ?? '',
      handler: properties.Handler,
      assetDirectory: bundle,
      environment: properties.Environment.Variables,
      timeoutSeconds: properties.Timeout,
      memoryMb: properties.MemorySize,
      ...(properties.ReservedConcurrentExecutions === undefined
        ? {}
        : { reservedConcurrency: properties.ReservedConcurrentExecutions }),
    };
    return {
      logicalId: resource.logicalId,
      definition,
      role: assumableRole(stack, resource, properties.Role),
    };
  });
}

function assumableRole(stack: Stack, { logicalId }: StackResource, roleArn: string): FunctionRole {
  const role = stack.ofType('AWS::IAM::Role').find(({ attributes }) => attributes.Arn === roleArn);
  if (!role) throw new Error(`${logicalId}: the stack has no role ${roleArn}`);
  const trust = parsePolicy(role.logicalId, role.properties.AssumeRolePolicyDocument);
  const decision = evaluate(
    {
      caller: { kind: 'service', name: 'lambda.amazonaws.com' },
      action: 'sts:AssumeRole',
      resource: roleArn,
    },
    { identity: [], resource: [trust] },
  );
  if (!decision.allowed)
    throw new Error(`${logicalId}: Lambda may not assume ${role.logicalId}: ${decision.reason}`);
  return { arn: roleArn, id: roleId(role.logicalId), name: role.name };
}
