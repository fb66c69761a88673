import { type Policy, parsePolicy } from '../iam/policy-document.ts';

const writeLogs = ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'];

/** AWS's own policies that a CDK app attaches, as AWS publishes them. */
const actionsByName: Readonly<Record<string, readonly string[]>> = {
  'service-role/AWSLambdaBasicExecutionRole': writeLogs,
  AWSXRayDaemonWriteAccess: [
    'xray:PutTraceSegments',
    'xray:PutTelemetryRecords',
    'xray:GetSamplingRules',
    'xray:GetSamplingTargets',
    'xray:GetSamplingStatisticSummaries',
  ],
};

/** @throws Error for a policy of AWS whose content is not known here. */
export function managedPolicy(policyArn: string): Policy {
  const name = policyArn.replace(/^arn:aws:iam::aws:policy\//, '');
  const actions = actionsByName[name];
  if (!actions) throw new Error(`The managed policy ${policyArn} is not known to the local run`);
  return parsePolicy(policyArn, { Statement: { Effect: 'Allow', Action: actions, Resource: '*' } });
}
